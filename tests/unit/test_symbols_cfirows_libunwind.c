/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A step by a row against one by libunwind, from the first and the last byte of each row of some
 * files, with made-up stack and registers: the row is right, and so is the step made of it. With
 * arguments: of the files that are named; libunwind 1.6 refuses entries that restore a vector
 * register ("bad register number"), of which libffi has one.
 */
#include "unit/unit.h"

#include "base/idindex.h"
#include "symbols/cfi.h"
#include "symbols/cfirows.h"

#include <inttypes.h>
#include <libunwind.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libunwind exports this for tools that find the tables themselves, but declares it nowhere. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
					      unw_proc_info_t *, int, void *);

struct file {
	unsigned char *v;
	size_t n;
	uint64_t header, entries;	/* .eh_frame_hdr */
	uint64_t start, end;		/* of the code */
	struct unwind_frame frame;	/* where the step begins */
};

struct figures {
	size_t files, steps, unsaid, none, differences;
};

/* ---- the made-up program ---- */

static const unsigned char *in_file(const struct file *x, uint64_t at)
{
	const Elf64_Ehdr *eh = (const void *)x->v;
	const Elf64_Phdr *ph = (const void *)(x->v + eh->e_phoff);

	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && at >= ph[i].p_vaddr &&
		    at - ph[i].p_vaddr < ph[i].p_filesz)
			return x->v + ph[i].p_offset + (at - ph[i].p_vaddr);
	return NULL;
}

/* Each word of memory that is not the file's has a number of its own. */
static uint64_t made_up(uint64_t at)
{
	return hash_mix(at) >> 1;
}

static bool read_stack(void *ctx, uint64_t at, uint64_t *word)
{
	(void)ctx;
	*word = made_up(at);
	return true;
}

static int access_mem(unw_addr_space_t as, unw_word_t at, unw_word_t *word, int write, void *ctx)
{
	struct file *x = ctx;
	const unsigned char *p = in_file(x, at);

	(void)as;
	if (write)
		return -UNW_EINVAL;
	*word = 0;
	if (!p)
		*word = made_up(at);
	else
		memcpy(word, p, x->v + x->n - p < 8 ? (size_t)(x->v + x->n - p) : 8);
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *ctx)
{
	const struct file *x = ctx;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	switch (reg) {
	case UNW_X86_64_RIP:
		*value = x->frame.pc;
		break;
	case UNW_X86_64_RSP:
		*value = x->frame.sp;
		break;
	case UNW_X86_64_RBP:
		*value = x->frame.fp;
		break;
	default:
		*value = made_up((uint64_t)reg);
	}
	return 0;
}

static int find_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *ctx)
{
	struct file *x = ctx;
	unw_dyn_info_t di = {
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
		.start_ip = x->start,
		.end_ip = x->end,
		.u.rti = { .segbase = x->header, .table_data = x->header + 12,
			   .table_len = x->entries * 8 / sizeof(unw_word_t) },
	};

	if (ip < x->start || ip >= x->end)
		return -UNW_ENOINFO;
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need, ctx);
}

static void put_info(unw_addr_space_t as, unw_proc_info_t *pi, void *ctx)
{
	(void)as, (void)pi, (void)ctx;
}

static int no_list(unw_addr_space_t as, unw_word_t *at, void *ctx)
{
	(void)as, (void)at, (void)ctx;
	return -UNW_ENOINFO;
}

static int no_float(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *v, int write, void *ctx)
{
	(void)as, (void)reg, (void)v, (void)write, (void)ctx;
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *ctx)
{
	(void)as, (void)c, (void)ctx;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t as, unw_word_t at, char *name, size_t n, unw_word_t *offset,
		   void *ctx)
{
	(void)as, (void)at, (void)name, (void)n, (void)offset, (void)ctx;
	return -UNW_ENOINFO;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_info,
	.put_unwind_info = put_info,
	.get_dyn_info_list_addr = no_list,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = no_float,
	.resume = no_resume,
	.get_proc_name = no_name,
};

/* ---- the comparison ---- */

static void differs(struct figures *f, const char *path, uint64_t at, const char *what)
{
	if (f->differences++ < 10)
		print_message("%s: at %#" PRIx64 ": %s\n", path, at, what);
}

static void compare_step(struct figures *f, const char *path, struct file *x, unw_addr_space_t as,
			 const struct unwind_row *r, uint64_t pc)
{
	struct unwind_frame by_row = { pc, 0x7ffd00001230, 0x7ffd00004560 };
	unw_cursor_t c;
	unw_proc_info_t pi;
	unw_word_t ip = 0, sp = 0, fp = 0;
	uint64_t fp_at;

	x->frame = by_row;
	if (r->cfa == UNWIND_CFA_NONE) {
		f->none++;
		if (find_info(as, pc, &pi, 0, x) == 0)
			differs(f, path, pc, "nothing in the rows, but in the index");
		return;
	}
	if (r->cfa == UNWIND_CFA_UNSAID) {
		f->unsaid++;
		return;
	}
	f->steps++;
	enum unwind_step step = unwind_row_step(r->cfa, r->fp, &by_row, &fp_at, read_stack, NULL);
	int went = unw_init_remote(&c, as, x);

	if (!went)
		went = unw_step(&c);
	if (step == UNWIND_END) {
		if (went > 0)
			differs(f, path, pc, "libunwind does not end here");
		return;
	}
	if (went <= 0) {
		differs(f, path, pc, went ? unw_strerror(went) : "libunwind ends here");
		return;
	}
	if (unw_get_reg(&c, UNW_REG_IP, &ip) || ip != by_row.pc)
		differs(f, path, pc, "another pc");
	if (unw_get_reg(&c, UNW_REG_SP, &sp) || sp != by_row.sp)
		differs(f, path, pc, "another stack pointer");
	if ((r->fp & UNWIND_FP_KIND) != UNWIND_FP_LOST &&
	    (unw_get_reg(&c, UNW_X86_64_RBP, &fp) || fp != by_row.fp))
		differs(f, path, pc, "another frame pointer");
}

static void compare_rows(struct figures *f, const char *path, struct file *x,
			 const struct cfi_rows *t)
{
	unw_addr_space_t as = unw_create_addr_space(&accessors, 0);

	assert_non_null(as);
	unw_set_caching_policy(as, UNW_CACHE_NONE);
	for (size_t i = 0; i < t->n; i++) {
		const struct unwind_row *r = &t->v[i];
		uint64_t from = t->start + r->pc;
		uint64_t end = i + 1 < t->n ? t->start + r[1].pc : t->end;

		compare_step(f, path, x, as, r, from);
		compare_step(f, path, x, as, r, end - 1);
		/* the stubs of a PLT: each byte of two of them */
		for (uint64_t pc = from; (r->cfa & UNWIND_CFA_KIND) == UNWIND_CFA_STUB &&
					 pc < end && pc < from + 32; pc++)
			compare_step(f, path, x, as, r, pc);
	}
	unw_destroy_addr_space(as);
}

/* Read a whole file, and where its index is. False: it is none that has one. */
static bool read_file(const char *path, struct file *x)
{
	FILE *f = fopen(path, "re");
	long size;

	*x = (struct file){ 0 };
	if (!f)
		return false;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) > (long)sizeof(Elf64_Ehdr)) {
		rewind(f);
		x->v = malloc((size_t)size);
		assert_non_null(x->v);
		x->n = fread(x->v, 1, (size_t)size, f);
	}
	fclose(f);
	const Elf64_Ehdr *eh = (const void *)x->v;
	const Elf64_Phdr *ph = (const void *)(x->v + (x->v ? eh->e_phoff : 0));

	for (int i = 0; x->v && i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_GNU_EH_FRAME)
			continue;
		uint32_t entries;

		x->header = ph[i].p_vaddr;
		memcpy(&entries, x->v + ph[i].p_offset + 8, sizeof entries);
		x->entries = entries;
	}
	return x->entries;
}

static void compare_file(struct figures *f, const char *path)
{
	struct objfile o;
	struct cfi_rows t = { 0 };
	struct file x = { 0 };
	size_t before = f->differences, steps = f->steps;

	if (objfile_open_path(&o, path))
		return;
	assert_int_equal(cfirows_read(&t, &o), 0);
	if (t.n > 1 && read_file(path, &x)) {
		x.start = t.start;
		x.end = t.end;
		compare_rows(f, path, &x, &t);
		print_message("%s: %zu rows, %zu steps, %zu differences\n", path, t.n,
			      f->steps - steps, f->differences - before);
		f->files++;
	}
	free(x.v);
	cfirows_release(&t);
	objfile_close(&o);
}

static void print_figures(const struct figures *f)
{
	print_message("%zu files: %zu steps compared, %zu differ; %zu places that nothing "
		      "describes, %zu that no row can say\n",
		      f->files, f->steps, f->differences, f->none, f->unsaid);
}

static int compare_mapped(struct dl_phdr_info *info, size_t size, void *ctx)
{
	static const char *const names[] = { "libc.so", "libdw", "libunwind-x86", "ld-linux" };

	(void)size;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strstr(info->dlpi_name, names[i]))
			compare_file(ctx, info->dlpi_name);
	return 0;
}

static void a_step_by_a_row_is_libunwinds(void **state)
{
	struct figures f = { 0 };

	(void)state;
	compare_file(&f, "/proc/self/exe");
	dl_iterate_phdr(compare_mapped, &f);
	print_figures(&f);
	assert_int_equal(f.differences, 0);
	assert_true(f.files >= 3 && f.steps > 50000 && f.none > 1000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_step_by_a_row_is_libunwinds) };
	struct figures f = { 0 };

	if (argc < 2)
		return cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 1; i < argc; i++)
		compare_file(&f, argv[i]);
	print_figures(&f);
	return f.differences != 0;
}
