/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfi.h"

#include "base/array.h"
#include "base/search.h"
#include "symbols/cfientry.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

const uint8_t cfi_usual_header[CFI_USUAL_HEADER] = { 1, 0x1b, 0x03, 0x3b };

/*
 * dwarf_cfi_addrframe() is of no use here: it returns the range of a row, from one change of the
 * stack pointer to the next, not that of the function.
 */
struct reading {
	struct cfi_section s;
	Dwarf_Off at;		/* of the CIE that was read last; UINT64_MAX: none */
	bool has_cie;
	struct cfi_cie cie;
};

static bool decode(struct reading *r, const Dwarf_FDE *fde, Dwarf_Off offset, struct fde *out)
{
	if (r->at != fde->CIE_pointer) {
		r->at = fde->CIE_pointer;
		r->has_cie = cfi_cie_read(&r->s, r->at, &r->cie);
	}
	out->offset = offset;
	return r->has_cie && cfi_fde_range(&r->s, &r->cie, fde, &out->start, &out->end, NULL);
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
	struct reading r = { .at = UINT64_MAX };
	Dwarf_CFI_Entry e;

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return 0;
	r.s.data = elf_rawdata(scn, NULL);
	if (!r.s.data || !r.s.data->d_buf)
		return 0;
	r.s.ident = (const unsigned char *)elf_getident(o->elf, NULL);
	r.s.addr = t->section = shdr.sh_addr;
	for (Dwarf_Off off = 0, next = 0; off < r.s.data->d_size; off = next) {
		int found = dwarf_next_cfi(r.s.ident, r.s.data, true, off, &next, &e);

		if (found > 0 || next <= off)
			break;
		if (found < 0 || dwarf_cfi_cie_p(&e))
			continue;
		if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
			return -ENOMEM;
		if (decode(&r, &e.fde, off, &t->v[t->n]))
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
