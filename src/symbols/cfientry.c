/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfientry.h"

#include <dwarf.h>
#include <elf.h>

/* Bytes of a value in this encoding, 0 if that is not fixed. */
static unsigned width(const struct cfi_section *s, int encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
		return s->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
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

static bool read_value(const struct cfi_section *s, int encoding, const uint8_t **p,
		       const uint8_t *end, uint64_t *value)
{
	unsigned n = width(s, encoding);
	uint64_t v = 0;

	if (!n || end < *p || (size_t)(end - *p) < n)
		return false;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)(*p)[i]
		     << 8 * (s->ident[EI_DATA] == ELFDATA2MSB ? n - 1 - i : i);
	if ((encoding & DW_EH_PE_signed) && n < 8 && v >> (8 * n - 1))
		v |= UINT64_MAX << 8 * n;
	*p += n;
	*value = v;
	return true;
}

/* Reads the augmentation data of a CIE. */
static void read_augmentation(const struct cfi_section *s, struct cfi_cie *cie)
{
	const uint8_t *p = cie->e.augmentation_data, *end = p + cie->e.augmentation_data_size;
	const char *a = cie->e.augmentation;
	int encoding = DW_EH_PE_absptr;
	uint64_t skipped;

	cie->encoding = cie->lsda = -1;
	if (!a || (*a && *a != 'z'))
		return;
	for (a += *a == 'z'; *a; a++) {
		if (*a == 'S')
			cie->signal = true;
		if (*a == 'S' || *a == 'B')
			continue;
		if (!p || p >= end)
			return;
		int enc = *p++;

		if (*a == 'R')
			encoding = enc;
		if (*a == 'L' && enc != DW_EH_PE_omit)
			cie->lsda = enc;
		if (*a == 'R' || *a == 'L')
			continue;
		if (*a != 'P' || !read_value(s, enc, &p, end, &skipped))
			return;
	}
	cie->encoding = encoding;
}

bool cfi_entry_read(const struct cfi_section *s, Dwarf_Off offset, Dwarf_CFI_Entry *out,
		    uint64_t *size)
{
	Dwarf_Off next = offset;

	*size = 0;
	if (offset >= s->data->d_size)
		return false;
	int found = dwarf_next_cfi(s->ident, s->data, true, offset, &next, out);

	if (next > offset && next <= s->data->d_size)
		*size = next - offset;
	return !found;
}

bool cfi_cie_read(const struct cfi_section *s, Dwarf_Off offset, struct cfi_cie *out)
{
	Dwarf_CFI_Entry e;

	*out = (struct cfi_cie){ 0 };
	if (!cfi_entry_read(s, offset, &e, &out->size) || !dwarf_cfi_cie_p(&e))
		return false;
	out->e = e.cie;
	read_augmentation(s, out);
	return true;
}

bool cfi_address(const struct cfi_section *s, int encoding, const uint8_t **p, const uint8_t *end,
		 uint64_t *value)
{
	uint64_t base = 0;

	if (encoding < 0 || (encoding & ~0x0f & ~DW_EH_PE_pcrel))
		return false;
	if (encoding & DW_EH_PE_pcrel)
		base = s->addr + (uint64_t)(*p - (const uint8_t *)s->data->d_buf);
	if (!read_value(s, encoding, p, end, value))
		return false;
	*value += base;
	return true;
}

bool cfi_fde_range(const struct cfi_section *s, const struct cfi_cie *cie, const Dwarf_FDE *fde,
		   uint64_t *start, uint64_t *end, const uint8_t **rest)
{
	const uint8_t *p = fde->start;
	uint64_t len;

	if (!cfi_address(s, cie->encoding, &p, fde->end, start) ||
	    !read_value(s, cie->encoding & 0x07, &p, fde->end, &len))
		return false;
	*end = *start + len;
	if (rest)
		*rest = p;
	return *start && len && *end > *start;
}
