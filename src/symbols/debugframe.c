/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfi.h"

#include "base/array.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An entry grows by a few bytes, and a CIE may be written more than once: this bounds a file forged
 * to make that happen for each entry. */
#define GROWTH_MAX 8

struct rewriting {
	struct debug_frame *f;
	const unsigned char *ident;
	Elf_Data *data;
	Dwarf_Off cie;		/* the CIE rewritten last; UINT64_MAX: none */
	bool cie_usable;
	size_t cie_at;		/* its new offset */
	int err;
};

static void put(struct rewriting *r, const void *bytes, size_t n)
{
	struct debug_frame *f = r->f;

	if (!r->err && n > r->data->d_size * GROWTH_MAX - f->n)
		r->err = -EFBIG;
	while (!r->err && f->cap - f->n < n)
		r->err = ARRAY_RESERVE(&f->bytes, &f->cap, f->cap);
	if (r->err || !n)
		return;
	memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

static void put8(struct rewriting *r, uint8_t v)
{
	put(r, &v, sizeof v);
}

static void put32(struct rewriting *r, uint32_t v)
{
	put(r, &v, sizeof v);
}

static void put_uleb(struct rewriting *r, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		put8(r, (uint8_t)(v | 0x80));
	put8(r, (uint8_t)v);
}

static void put_sleb(struct rewriting *r, int64_t v)
{
	for (; v > 0x3f || v < -0x40; v >>= 7)
		put8(r, (uint8_t)(v | 0x80));
	put8(r, (uint8_t)(v & 0x7f));
}

/* An entry begins with its length, which end() fills in. */
static size_t begin(struct rewriting *r)
{
	size_t at = r->f->n;

	put32(r, 0);
	return at;
}

static void end(struct rewriting *r, size_t at)
{
	uint32_t len = (uint32_t)(r->f->n - at - sizeof len);

	if (r->f->n - at - sizeof len >= UINT32_MAX)
		r->err = -EFBIG;
	if (!r->err)
		memcpy(r->f->bytes + at, &len, sizeof len);
}

/* Augmentations of .debug_frame are specified nowhere, and no compiler writes any. */
static bool understood(const Dwarf_CIE *cie)
{
	return cie->augmentation && !*cie->augmentation && cie->return_address_register < 0x80 &&
	       cie->initial_instructions <= cie->initial_instructions_end;
}

static void put_cie(struct rewriting *r, const Dwarf_CIE *cie)
{
	r->cie_at = begin(r);
	put32(r, 0);	/* a CIE */
	put8(r, 1);	/* version */
	put8(r, 0);	/* no augmentation: addresses are absolute */
	put_uleb(r, cie->code_alignment_factor);
	put_sleb(r, cie->data_alignment_factor);
	put8(r, (uint8_t)cie->return_address_register);
	put(r, cie->initial_instructions,
	    (size_t)(cie->initial_instructions_end - cie->initial_instructions));
	end(r, r->cie_at);
}

static bool use_cie(struct rewriting *r, Dwarf_Off offset)
{
	Dwarf_CFI_Entry e;
	Dwarf_Off next;

	if (r->cie == offset)
		return r->cie_usable;
	r->cie = offset;
	r->cie_usable = offset < r->data->d_size &&
			dwarf_next_cfi(r->ident, r->data, false, offset, &next, &e) == 0 &&
			dwarf_cfi_cie_p(&e) && understood(&e.cie);
	if (r->cie_usable)
		put_cie(r, &e.cie);
	return r->cie_usable;
}

static void put_fde(struct rewriting *r, const Dwarf_FDE *fde)
{
	struct fdes *t = &r->f->fdes;
	uint64_t range[2];

	if (fde->end - fde->start < (ptrdiff_t)sizeof range || !use_cie(r, fde->CIE_pointer))
		return;
	memcpy(range, fde->start, sizeof range);
	/* A function that the linker dropped is at 0. */
	if (!range[0] || !range[1] || range[0] + range[1] < range[0] || r->err)
		return;
	r->err = ARRAY_RESERVE(&t->v, &t->cap, t->n);
	if (r->err)
		return;
	size_t at = begin(r);

	put32(r, (uint32_t)(r->f->n - r->cie_at));
	put(r, range, sizeof range);
	put(r, fde->start + sizeof range, (size_t)(fde->end - fde->start) - sizeof range);
	end(r, at);
	t->v[t->n++] = (struct fde){ range[0], range[0] + range[1], at };
}

static Elf_Data *section_data(struct objfile *o)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = objfile_section(o, ".debug_frame", &shdr);

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return NULL;
	if ((shdr.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
		return NULL;
	return elf_rawdata(scn, NULL);
}

int debug_frame_read(struct debug_frame *f, struct objfile *o)
{
	struct rewriting r = { .f = f, .cie = UINT64_MAX, .data = section_data(o) };
	Dwarf_CFI_Entry e;

	if (!r.data || !r.data->d_buf)
		return 0;
	r.ident = (const unsigned char *)elf_getident(o->elf, NULL);
	if (r.ident[EI_CLASS] != ELFCLASS64 || r.ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	for (Dwarf_Off off = 0, next = 0; !r.err && off < r.data->d_size; off = next) {
		int found = dwarf_next_cfi(r.ident, r.data, false, off, &next, &e);

		if (found > 0 || next <= off)
			break;
		if (found == 0 && !dwarf_cfi_cie_p(&e))
			put_fde(&r, &e.fde);
	}
	fdes_sort(&f->fdes);
	return r.err == -ENOMEM ? -ENOMEM : 0;
}

void debug_frame_release(struct debug_frame *f)
{
	fdes_release(&f->fdes);
	free(f->bytes);
	*f = (struct debug_frame){ 0 };
}
