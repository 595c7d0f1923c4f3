/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/tables.h"

#include "base/array.h"
#include "base/preadall.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libunwind exports this for tools that find the tables themselves, but does not declare it. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
					      unw_proc_info_t *, int, void *);

/* The size of entry code: it calls and never returns, and often has no call frame information. */
#define ENTRY_CODE_SIZE 128

/*
 * Addresses that no program can have (they are not canonical), for what libunwind is to read from
 * our memory: an index of one entry, all zeros; and the .debug_frame of each file.
 */
#define OURS ((taddr)1 << 63)
#define OURS_FILE_SHIFT 40
#define OURS_FILES (1u << 22)	/* so many files can have an address */
#define ONE_ENTRY (OURS | (taddr)1 << 62)

void tables_release(struct cfi_tables *t)
{
	for (size_t i = 0; i < t->n_files; i++) {
		fdes_release(&t->of_file[i].eh_frame);
		debug_frame_release(&t->of_file[i].debug_frame);
	}
	free(t->of_file);
	free(t->tables);
}

void tables_flush(struct cfi_tables *t)
{
	t->n_tables = 0;
}

/* ---- .eh_frame_hdr, in memory ---- */

static bool read_header(struct cfi_tables *all, struct cfi_table *t)
{
	uint64_t head, count;

	if (!snapshot_word(all->memory, t->header, &head) ||
	    !snapshot_word(all->memory, t->header + 8, &count) ||
	    memcmp(&head, cfi_usual_header, CFI_USUAL_HEADER))
		return false;
	t->entries = count & UINT32_MAX;
	t->table = t->header + 12;
	return t->entries;
}

/* Read bytes of a mapped file; of the vdso, which has no file, from memory. */
static bool read_file(struct cfi_tables *all, const struct mapping *m, uint64_t offset, void *out,
		      size_t n)
{
	int fd = all->files->files[m->file].fd;
	uint64_t word;

	if (fd >= 0)
		return pread_all(fd, out, n, (off_t)offset) == (ssize_t)n;
	for (size_t i = 0; i < n; i += sizeof word) {
		taddr at = m->start - m->file_offset + offset + i;

		if (at < m->start || at >= m->end || !snapshot_word(all->memory, at, &word))
			return false;
		memcpy((char *)out + i, &word, n - i < sizeof word ? n - i : sizeof word);
	}
	return true;
}

static bool find_header(struct cfi_tables *all, const struct mapping *m, taddr *header,
			taddr *entry)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!read_file(all, m, 0, &eh, sizeof eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_phentsize != sizeof ph)
		return false;
	*entry = eh.e_entry ? m->bias + eh.e_entry : 0;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (!read_file(all, m, eh.e_phoff + i * sizeof ph, &ph, sizeof ph))
			return false;
		if (ph.p_type != PT_GNU_EH_FRAME)
			continue;
		*header = m->bias + ph.p_vaddr;
		return true;
	}
	return false;
}

static const struct cfi_table *table_of(struct cfi_tables *all, const struct mapping *m)
{
	for (size_t i = 0; i < all->n_tables; i++)
		if (all->tables[i].map_start == m->start)
			return &all->tables[i];
	if (ARRAY_RESERVE(&all->tables, &all->cap_tables, all->n_tables))
		return NULL;
	struct cfi_table t = { .map_start = m->start, .start_ip = m->start, .end_ip = m->end };
	t.usable = find_header(all, m, &t.header, &t.entry) &&
		   read_header(all, &t);
	all->tables[all->n_tables] = t;
	return &all->tables[all->n_tables++];
}

static int find_by_header(const struct cfi_table *t, unw_addr_space_t as, taddr ip,
			  unw_proc_info_t *pi, int need_unwind_info, void *arg)
{
	unw_dyn_info_t di = {
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
		.start_ip = t->start_ip,
		.end_ip = t->end_ip,
		.u.rti = { .segbase = t->header,
			   .table_data = t->table,
			   .table_len = t->entries * 8 / sizeof(unw_word_t) },
	};

	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need_unwind_info, arg);
}

/* ---- the file itself ---- */

static struct cfi_file *file_of(struct cfi_tables *t, uint32_t number)
{
	while (t->n_files <= number) {
		if (ARRAY_RESERVE(&t->of_file, &t->cap_files, t->n_files))
			return NULL;
		t->of_file[t->n_files++] = (struct cfi_file){ 0 };
	}
	return &t->of_file[number];
}

static bool open_file(const struct cfi_tables *t, uint32_t number, struct objfile *o)
{
	int fd = t->files->files[number].fd;
	int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return own >= 0 && objfile_open_quick(o, own) == 0;
}

/* Have libunwind use @fde, which it can read at @at. */
static int take_entry(const struct fde *fde, taddr bias, taddr at, unw_addr_space_t as, taddr ip,
		      unw_proc_info_t *pi, int need_unwind_info, void *arg)
{
	/* An index of one entry: the function's start and the address of its FDE, relative to these
	 * bases. */
	unw_dyn_info_t di = {
		.format = UNW_INFO_FORMAT_IP_OFFSET,
		.start_ip = bias + fde->start,
		.end_ip = bias + fde->end,
		.u.rti = { .segbase = at, .table_data = ONE_ENTRY, .table_len = 1 },
	};

	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need_unwind_info, arg);
}

static int find_in_eh_frame(struct cfi_tables *t, const struct mapping *m, unw_addr_space_t as,
			    taddr ip, unw_proc_info_t *pi, int need_unwind_info, void *arg)
{
	struct cfi_file *f = file_of(t, m->file);
	struct objfile o;

	if (!f)
		return -UNW_ENOINFO;
	if (!f->has_eh_frame && open_file(t, m->file, &o)) {
		fdes_read(&f->eh_frame, &o);
		objfile_close(&o);
	}
	f->has_eh_frame = true;
	const struct fde *fde = fdes_find(&f->eh_frame, ip - m->bias);
	return fde ? take_entry(fde, m->bias, m->bias + f->eh_frame.section + fde->offset, as, ip,
				pi, need_unwind_info, arg)
		   : -UNW_ENOINFO;
}

static int find_in_debug_frame(struct cfi_tables *t, const struct mapping *m, unw_addr_space_t as,
			       taddr ip, unw_proc_info_t *pi, int need_unwind_info, void *arg)
{
	struct cfi_file *f = file_of(t, m->file);
	struct objfile o;

	if (!f)
		return -UNW_ENOINFO;
	if (!f->has_debug_frame && m->file < OURS_FILES && open_file(t, m->file, &o)) {
		debug_frame_read(&f->debug_frame, &o);
		objfile_close(&o);
	}
	f->has_debug_frame = true;
	const struct fde *fde = fdes_find(&f->debug_frame.fdes, ip - m->bias);
	taddr at = OURS | (taddr)m->file << OURS_FILE_SHIFT;

	/* Its addresses are those of the file: ask for one of those, and relocate the answer. */
	if (!fde ||
	    take_entry(fde, 0, at + fde->offset, as, ip - m->bias, pi, need_unwind_info, arg))
		return -UNW_ENOINFO;
	pi->start_ip += m->bias;
	pi->end_ip += m->bias;
	return 0;
}

bool tables_word(const struct cfi_tables *t, taddr at, uint64_t *value)
{
	taddr file = (at & ~ONE_ENTRY) >> OURS_FILE_SHIFT;
	taddr offset = at & (((taddr)1 << OURS_FILE_SHIFT) - 1);

	*value = 0;
	if (at == ONE_ENTRY)
		return true;
	if (!(at & OURS) || (at & ONE_ENTRY) == ONE_ENTRY || file >= t->n_files)
		return false;
	const struct debug_frame *f = &t->of_file[file].debug_frame;
	if (offset >= f->n)
		return false;
	/* An entry may end in the middle of the last word that is read. */
	memcpy(value, f->bytes + offset,
	       f->n - offset < sizeof *value ? f->n - offset : sizeof *value);
	return true;
}

/* ---- both ---- */

int tables_find(struct cfi_tables *t, unw_addr_space_t as, taddr ip, unw_proc_info_t *pi,
		int need_unwind_info, void *arg)
{
	const struct mapping *m = mappings_find(t->maps, ip);
	const struct cfi_table *header = m ? table_of(t, m) : NULL;
	int err;

	if (!header)
		return -UNW_ENOINFO;
	if (header->usable)
		err = find_by_header(header, as, ip, pi, need_unwind_info, arg);
	else
		err = find_in_eh_frame(t, m, as, ip, pi, need_unwind_info, arg);
	return err ? find_in_debug_frame(t, m, as, ip, pi, need_unwind_info, arg) : 0;
}

bool tables_is_entry_code(struct cfi_tables *t, taddr pc, taddr thread)
{
	const struct mapping *m = mappings_find(t->maps, pc);
	const struct cfi_table *header = m ? table_of(t, m) : NULL;

	return header && ((header->entry && pc - header->entry < ENTRY_CODE_SIZE) ||
			  (thread && pc - thread < ENTRY_CODE_SIZE));
}
