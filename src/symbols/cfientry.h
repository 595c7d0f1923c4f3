/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIENTRY_H
#define MPROF_CFIENTRY_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The entries of .eh_frame, or of a section converted to its form: which code they describe.
 * libdw splits the section into entries (dwarf_next_cfi()) and stays within the bytes; the
 * encodings of addresses are read here. Source: LSB core specification, 10.6.1.
 */
struct cfi_section {
	Elf_Data *data;
	const unsigned char *ident;	/* e_ident: size of an address, byte order */
	uint64_t addr;			/* of the first byte */
};

/* What the entries of several functions have in common. */
struct cfi_cie {
	Dwarf_CIE e;	/* its pointers lead into the section */
	int encoding;	/* DW_EH_PE_* of the functions' addresses; -1: not understood */
	int lsda;	/* DW_EH_PE_* of the addresses of their exception tables; -1: none */
	bool signal;	/* frames of the signal trampoline */
	uint64_t size;	/* of the whole CIE, in bytes */
};

/**
 * Read the entry at @offset, which is untrusted.
 * @size  set to the number of bytes that had to be read, even if there is no entry
 * Returns false if there is none.
 */
bool cfi_entry_read(const struct cfi_section *s, Dwarf_Off offset, Dwarf_CFI_Entry *out,
		    uint64_t *size);

/* As cfi_entry_read(), for a CIE. */
bool cfi_cie_read(const struct cfi_section *s, Dwarf_Off offset, struct cfi_cie *out);

/* Read an address at *p, which is moved behind it; *p is in the section. False: it does not end
 * before @end, or its encoding is not understood. */
bool cfi_address(const struct cfi_section *s, int encoding, const uint8_t **p, const uint8_t *end,
		 uint64_t *value);

/**
 * The code that an entry with this CIE describes.
 * @rest  set to what follows in the entry; may be NULL
 * Returns false if that is not understood, or is no code: an empty range, or address 0, which is
 * what the linker leaves of a function that it dropped.
 */
bool cfi_fde_range(const struct cfi_section *s, const struct cfi_cie *cie, const Dwarf_FDE *fde,
		   uint64_t *start, uint64_t *end, const uint8_t **rest);

#endif
