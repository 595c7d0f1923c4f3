/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CFIENTRY_H
#define MPROF_CFIENTRY_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The entries of .eh_frame, or of what has been made to look like it: which code they are about.
 * libdw splits them (dwarf_next_cfi()) and stays within the bytes; the encodings of addresses
 * are read here. Source: LSB core specification, 10.6.1.
 */
struct cfi_section {
	Elf_Data *data;
	const unsigned char *ident;	/* e_ident: size of an address, order of bytes */
	uint64_t addr;			/* of the first byte */
};

/* What entries of functions have in common. */
struct cfi_cie {
	Dwarf_CIE e;	/* its pointers lead into the section */
	int encoding;	/* DW_EH_PE_* of the functions' addresses; -1: one that is not understood */
	int lsda;	/* the same of their tables of exceptions; -1: they have none */
	bool signal;	/* the frames are those that a signal has interrupted */
	uint64_t size;	/* of all of it, in bytes */
};

/**
 * The entry at @offset, which may lead anywhere.
 * @size  bytes that had to be looked at, also if there is none
 * Returns false if there is none.
 */
bool cfi_entry_read(const struct cfi_section *s, Dwarf_Off offset, Dwarf_CFI_Entry *out,
		    uint64_t *size);

/* As cfi_entry_read(), of a CIE. */
bool cfi_cie_read(const struct cfi_section *s, Dwarf_Off offset, struct cfi_cie *out);

/* An address at **p, which is moved behind it; *p lies in the section. False: it does not end
 * before @end, or has an encoding that is not understood. */
bool cfi_address(const struct cfi_section *s, int encoding, const uint8_t **p, const uint8_t *end,
		 uint64_t *value);

/**
 * The code that an entry with this CIE is about.
 * @rest  what follows in the entry; may be NULL
 * Returns false if that is not understood, or is no code: without a byte, or at 0, where that
 * stands which the link editor dropped.
 */
bool cfi_fde_range(const struct cfi_section *s, const struct cfi_cie *cie, const Dwarf_FDE *fde,
		   uint64_t *start, uint64_t *end, const uint8_t **rest);

#endif
