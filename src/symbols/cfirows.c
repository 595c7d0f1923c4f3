/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfirows.h"

#include "arch/arch.h"
#include "base/array.h"
#include "symbols/cfi.h"
#include "symbols/cfirows_internal.h"
#include "symbols/elffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

#define BLOCK_SHIFT 8
#define CODE_MAX UINT32_MAX	/* a row has 32 bits for its place */

int rows_init(struct cfi_rows *t, uint64_t start, uint64_t end)
{
	*t = (struct cfi_rows){ .start = start,
				.end = end - start > CODE_MAX ? start + CODE_MAX : end };
	return rows_put(t, start, (struct cfi_code){ .cfa = UNWIND_CFA_NONE });
}

int rows_put(struct cfi_rows *t, uint64_t addr, struct cfi_code code)
{
	uint64_t pc = addr - t->start;

	if (addr >= t->end)
		return 0;
	while (t->n && t->v[t->n - 1].pc >= pc)
		t->n--;
	if (t->n && t->v[t->n - 1].cfa == code.cfa && t->v[t->n - 1].fp == code.fp)
		return 0;
	if (ARRAY_RESERVE(&t->v, &t->cap, t->n))
		return -ENOMEM;
	t->v[t->n++] = (struct unwind_row){ (uint32_t)pc, code.cfa, code.fp };
	return 0;
}

/* Replaces the rows of @t by those of @by; counts are added up. */
static void replace_rows(struct cfi_rows *t, const struct cfi_rows *by)
{
	free(t->v);
	t->v = by->v;
	t->n = by->n;
	t->cap = by->cap;
	t->functions += by->functions;
	t->skipped += by->skipped;
}

int rows_fill(struct cfi_rows *t, const struct cfi_rows *other)
{
	struct cfi_rows out;
	int err = rows_init(&out, t->start, t->end);

	for (size_t i = 0, k = 0; !err && (i < t->n || k < other->n);) {
		uint32_t a = i < t->n ? t->v[i].pc : UINT32_MAX;
		uint32_t b = k < other->n ? other->v[k].pc : UINT32_MAX;
		uint32_t pc = a < b ? a : b;

		i += i < t->n && a == pc;
		k += k < other->n && b == pc;
		const struct unwind_row *r = &t->v[i - 1];

		if (r->cfa == UNWIND_CFA_NONE)
			r = &other->v[k - 1];
		err = rows_put(&out, t->start + pc, (struct cfi_code){ r->cfa, r->fp });
	}
	if (err) {
		free(out.v);
		return err;
	}
	replace_rows(t, &out);
	t->functions += other->functions;
	t->skipped += other->skipped;
	return 0;
}

int rows_finish(struct cfi_rows *t)
{
	uint64_t size = t->end - t->start;

	for (size_t i = 0; i < t->n; i++)
		t->unsaid += t->v[i].cfa == UNWIND_CFA_UNSAID;
	/* A file can claim any amount of code: bound the index by the number of rows. */
	t->shift = BLOCK_SHIFT;
	while (size >> t->shift > 2 * t->n + BLOCK_SHIFT)
		t->shift++;
	t->n_blocks = (size_t)((size - 1) >> t->shift) + 1;
	t->index = calloc(t->n_blocks + 1, sizeof *t->index);
	if (!t->index)
		return -ENOMEM;
	for (size_t block = 0, row = 0; block < t->n_blocks; block++) {
		while (row + 1 < t->n && t->v[row + 1].pc <= (uint64_t)block << t->shift)
			row++;
		t->index[block] = (uint32_t)row;
	}
	t->index[t->n_blocks] = (uint32_t)(t->n - 1);
	return 0;
}

void cfirows_release(struct cfi_rows *t)
{
	free(t->v);
	free(t->index);
	*t = (struct cfi_rows){ 0 };
}

const struct unwind_row *cfirows_find(const struct cfi_rows *t, uint64_t addr)
{
	if (addr < t->start || addr >= t->end)
		return NULL;
	return unwind_row_find(t->v, t->index, t->shift, (uint32_t)(addr - t->start));
}

/* ---- files ---- */

static const unsigned char *ident_of(struct objfile *o)
{
	return (const unsigned char *)elf_getident(o->elf, NULL);
}

/* Is it a file for this machine, whose registers rows are about? */
static bool is_ours(struct objfile *o)
{
	GElf_Ehdr eh;
	const unsigned char *ident = ident_of(o);

	return gelf_getehdr(o->elf, &eh) && eh.e_machine == arch_elf_machine &&
	       ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB;
}

/* Find the segment of this type that holds @addr (0: any). False: there is none. */
static bool find_segment(struct objfile *o, uint32_t type, uint64_t addr, GElf_Phdr *ph)
{
	size_t n = 0;

	if (elf_getphdrnum(o->elf, &n))
		return false;
	for (size_t i = 0; i < n && gelf_getphdr(o->elf, (int)i, ph); i++)
		if (ph->p_type == type &&
		    (!addr || (addr >= ph->p_vaddr && addr - ph->p_vaddr < ph->p_filesz)))
			return true;
	return false;
}

/* From the first to the last byte that may be executed. False: there is none. */
static bool find_code(struct objfile *o, uint64_t *start, uint64_t *end)
{
	size_t n = 0;
	GElf_Phdr ph;

	*start = UINT64_MAX;
	*end = 0;
	if (elf_getphdrnum(o->elf, &n))
		return false;
	for (size_t i = 0; i < n && gelf_getphdr(o->elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (ph.p_vaddr < *start)
			*start = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_memsz > *end)
			*end = ph.p_vaddr + ph.p_memsz;
	}
	return *start < *end;
}

/* ---- .eh_frame, by its index ---- */

/* Version and encodings, offset of .eh_frame, number of entries. */
#define HEADER_SIZE 12

struct header_entry {
	int32_t start, fde;	/* from the beginning of .eh_frame_hdr */
};

/* The bytes of .eh_frame_hdr, if it has the usual form, and the section that it indexes, which is
 * taken to reach to the end of its segment, as its size is not known. NULL: there is none. */
static Elf_Data *read_header(struct objfile *o, uint64_t *addr, struct cfi_section *s)
{
	GElf_Phdr h, load;
	int32_t to;

	if (!find_segment(o, PT_GNU_EH_FRAME, 0, &h))
		return NULL;
	Elf_Data *d = elffile_piece(o->elf, h.p_offset, h.p_filesz, ELF_T_BYTE);

	if (!d || !d->d_buf || d->d_size < HEADER_SIZE ||
	    memcmp(d->d_buf, cfi_usual_header, CFI_USUAL_HEADER))
		return NULL;
	memcpy(&to, (const char *)d->d_buf + CFI_USUAL_HEADER, sizeof to);
	*addr = h.p_vaddr;
	s->addr = h.p_vaddr + CFI_USUAL_HEADER + (uint64_t)to;
	s->ident = ident_of(o);
	if (!s->addr || !find_segment(o, PT_LOAD, s->addr, &load))
		return NULL;
	uint64_t skip = s->addr - load.p_vaddr, rest = load.p_filesz - skip;

	s->data = elffile_piece(o->elf, load.p_offset + skip,
				rest < ELFFILE_PIECE ? rest : ELFFILE_PIECE, ELF_T_BYTE);
	return s->data && s->data->d_buf ? d : NULL;
}

/* 0, -ENOMEM, or -EINVAL: there is no index, or an invalid one; then @t is unchanged. */
static int read_by_header(struct cfi_rows *t, struct objfile *o)
{
	struct cfi_section s;
	struct cfi_rows rows;
	struct row_maker m;
	struct header_entry entry;
	uint64_t addr;
	uint32_t n;
	Elf_Data *d = read_header(o, &addr, &s);

	if (!d)
		return -EINVAL;
	const char *p = (const char *)d->d_buf + 2 * CFI_USUAL_HEADER;
	size_t room = (d->d_size - HEADER_SIZE) / sizeof entry;

	memcpy(&n, p, sizeof n);
	p += sizeof n;
	int err = n && n <= room ? rows_init(&rows, t->start, t->end) : -EINVAL;

	if (err)
		return err;
	row_maker_init(&m, &rows, &s);
	for (uint32_t i = 0; i < n && !err; i++) {
		memcpy(&entry, p + i * sizeof entry, sizeof entry);
		err = row_maker_add(&m, addr + (uint64_t)entry.fde - s.addr);
	}
	row_maker_release(&m);
	if (err) {
		free(rows.v);
		return err;
	}
	replace_rows(t, &rows);
	return 0;
}

/* ---- without an index ---- */

static int add_sorted(struct cfi_rows *t, const struct fdes *fdes, const struct cfi_section *s)
{
	struct row_maker m;
	int err = 0;

	row_maker_init(&m, t, s);
	for (size_t i = 0; i < fdes->n && !err; i++) {
		err = row_maker_add(&m, fdes->v[i].offset);
		if (err == -EINVAL)
			t->skipped += fdes->n - i;
	}
	row_maker_release(&m);
	return err == -ENOMEM ? err : 0;
}

static int read_by_section(struct cfi_rows *t, struct objfile *o)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = objfile_section(o, ".eh_frame", &shdr);
	struct fdes fdes = { 0 };
	int err = fdes_read(&fdes, o);

	if (!err && fdes.n) {
		struct cfi_section s = { elf_rawdata(scn, NULL), ident_of(o), fdes.section };

		err = add_sorted(t, &fdes, &s);
	}
	fdes_release(&fdes);
	return err;
}

static int read_debug_frame(struct cfi_rows *t, struct objfile *o)
{
	struct debug_frame f = { 0 };
	struct cfi_rows other = { 0 };
	int err = debug_frame_read(&f, o);

	if (!err && f.fdes.n) {
		Elf_Data d = { .d_buf = f.bytes, .d_size = f.n, .d_type = ELF_T_BYTE,
			       .d_version = EV_CURRENT };
		struct cfi_section s = { &d, ident_of(o), 0 };

		err = rows_init(&other, t->start, t->end);
		if (!err)
			err = add_sorted(&other, &f.fdes, &s);
		if (!err)
			err = rows_fill(t, &other);
	}
	free(other.v);
	debug_frame_release(&f);
	return err;
}

int cfirows_read(struct cfi_rows *t, struct objfile *o)
{
	uint64_t start, end;

	if (!o->elf || !is_ours(o) || !find_code(o, &start, &end))
		return 0;
	int err = rows_init(t, start, end);

	if (!err)
		err = read_by_header(t, o);
	if (err == -EINVAL)
		err = read_by_section(t, o);
	if (!err)
		err = read_debug_frame(t, o);
	if (!err)
		err = rows_finish(t);
	if (err)
		cfirows_release(t);
	return err;
}
