/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfi.h"

#include "base/array.h"
#include "base/search.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * dwarf_cfi_addrframe() is of no use here: the range it tells is that of a row, from one change of
 * the stack pointer to the next, not that of the function.
 */
struct section {
	Elf_Data *data;
	const unsigned char *ident;
	uint64_t addr;		/* of its first byte */
	bool big_endian;
	unsigned pointer;	/* bytes of an address */
	Dwarf_Off cie;		/* the one whose encoding is known */
	int encoding;		/* DW_EH_PE_*, -1: none that we understand */
};

/* Bytes of a value in this encoding, 0 if that is not fixed. */
static unsigned width(const struct section *s, int encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
		return s->pointer;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

static bool read_value(const struct section *s, int encoding, const uint8_t **p, const uint8_t *end,
		       uint64_t *value)
{
	unsigned n = width(s, encoding);
	uint64_t v = 0;

	if (!n || (size_t)(end - *p) < n)
		return false;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)(*p)[i] << 8 * (s->big_endian ? n - 1 - i : i);
	if ((encoding & DW_EH_PE_signed) && n < 8 && v >> (8 * n - 1))
		v |= UINT64_MAX << 8 * n;
	*p += n;
	*value = v;
	return true;
}

/* Which encoding do the addresses of this CIE's functions have? */
static int encoding_of(const struct section *s, const Dwarf_CIE *cie)
{
	const uint8_t *p = cie->augmentation_data, *end = p + cie->augmentation_data_size;
	const char *a = cie->augmentation;
	uint64_t skipped;

	if (!a || *a != 'z')
		return a && !*a ? DW_EH_PE_absptr : -1;
	if (!p)
		return DW_EH_PE_absptr;
	for (a++; *a; a++) {
		if (*a == 'S' || *a == 'B')
			continue;
		if (p >= end)
			return -1;
		int enc = *p++;

		if (*a == 'R')
			return enc;
		if (*a == 'P' && !read_value(s, enc, &p, end, &skipped))
			return -1;
		if (*a != 'P' && *a != 'L')
			return -1;
	}
	return DW_EH_PE_absptr;
}

static void use_cie(struct section *s, Dwarf_Off offset)
{
	Dwarf_CFI_Entry e;
	Dwarf_Off next;

	if (s->cie == offset)
		return;
	s->cie = offset;
	s->encoding = -1;
	if (offset < s->data->d_size &&
	    dwarf_next_cfi(s->ident, s->data, true, offset, &next, &e) == 0 && dwarf_cfi_cie_p(&e))
		s->encoding = encoding_of(s, &e.cie);
}

static bool decode(struct section *s, const Dwarf_FDE *fde, Dwarf_Off offset, struct fde *out)
{
	const uint8_t *p = fde->start;
	uint64_t start, len;

	use_cie(s, fde->CIE_pointer);
	if (s->encoding < 0 || (s->encoding & ~0x0f & ~DW_EH_PE_pcrel))
		return false;
	if (s->encoding & DW_EH_PE_pcrel)
		start = s->addr + (uint64_t)(p - (const uint8_t *)s->data->d_buf);
	else
		start = 0;
	uint64_t value;

	if (!read_value(s, s->encoding, &p, fde->end, &value) ||
	    !read_value(s, s->encoding & 0x07, &p, fde->end, &len))
		return false;
	start += value;
	*out = (struct fde){ start, start + len, offset };
	return start && len && out->end > start;
}

static int by_start(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void fdes_sort(struct fdes *t)
{
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_start);
}

int fdes_read(struct fdes *t, struct objfile *o)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = objfile_section(o, ".eh_frame", &shdr);
	struct section s = { .cie = UINT64_MAX };
	Dwarf_CFI_Entry e;

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return 0;
	s.data = elf_rawdata(scn, NULL);
	if (!s.data || !s.data->d_buf)
		return 0;
	s.ident = (const unsigned char *)elf_getident(o->elf, NULL);
	s.addr = t->section = shdr.sh_addr;
	s.big_endian = s.ident[EI_DATA] == ELFDATA2MSB;
	s.pointer = s.ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	for (Dwarf_Off off = 0, next = 0; off < s.data->d_size; off = next) {
		int r = dwarf_next_cfi(s.ident, s.data, true, off, &next, &e);

		if (r > 0 || next <= off)
			break;
		if (r < 0 || dwarf_cfi_cie_p(&e))
			continue;
		if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
			return -ENOMEM;
		if (decode(&s, &e.fde, off, &t->v[t->n]))
			t->n++;
	}
	fdes_sort(t);
	return 0;
}

void fdes_release(struct fdes *t)
{
	free(t->v);
	*t = (struct fdes){ 0 };
}

const struct fde *fdes_find(const struct fdes *t, uint64_t at)
{
	size_t n = SEARCH_FIRST(t->n, i, t->v[i].start > at);

	return n && t->v[n - 1].end > at ? &t->v[n - 1] : NULL;
}
