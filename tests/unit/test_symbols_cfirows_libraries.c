/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows against libdw's interpreter, for each byte of code of real files: those that are mapped into
 * this test, and some with rare features. With arguments: of the files that
 * are named.
 */
#include "unit/unit.h"

#include "arch/arch.h"
#include "base/clock.h"
#include "symbols/cfi.h"
#include "symbols/cfirows.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

struct figures {
	size_t files, functions, skipped, rows, unsaid, pieces, differences;
	uint64_t bytes, ns;
};

/* ---- what libdw says, in the terms of a row ---- */

struct said {
	uint16_t cfa, fp;
};

static const struct said unsaid = { .cfa = UNWIND_CFA_UNSAID };

static bool fits(int64_t offset, int64_t least, int64_t most)
{
	return offset % 8 == 0 && offset / 8 >= least && offset / 8 <= most;
}

static bool is_op(const Dwarf_Op *op, uint8_t atom, int64_t number)
{
	return op->atom == atom && (int64_t)op->number == number;
}

/* An operation that tells a register and an offset. */
static bool is_register(const Dwarf_Op *op, int *reg, int64_t *offset)
{
	if (op->atom == DW_OP_bregx) {
		*reg = op->number > 1000 ? -1 : (int)op->number;
		*offset = (int64_t)op->number2;
		return true;
	}
	*reg = op->atom - DW_OP_breg0;
	*offset = (int64_t)op->number;
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

static bool is_stub(const Dwarf_Op *op, size_t n, uint16_t *from)
{
	*from = (uint16_t)(n == 9 ? op[4].atom - DW_OP_lit0 : 0);
	return n == 9 && is_op(&op[0], DW_OP_breg0 + ARCH_DWARF_SP, 8) &&
	       is_op(&op[1], DW_OP_breg0 + ARCH_DWARF_RETURN, 0) && op[2].atom == DW_OP_lit15 &&
	       op[3].atom == DW_OP_and && *from < 16 && op[5].atom == DW_OP_ge &&
	       op[6].atom == DW_OP_lit3 && op[7].atom == DW_OP_shl && op[8].atom == DW_OP_plus;
}

/* The CFA; *base is the register that it is told from, -1: none. */
static bool say_cfa(Dwarf_Frame *frame, bool signal, uint16_t *out, int *base)
{
	Dwarf_Op *op;
	size_t n;
	int64_t offset;
	uint16_t from;

	if (dwarf_frame_cfa(frame, &op, &n) || !n)
		return false;
	if (is_stub(op, n, &from)) {
		*base = ARCH_DWARF_SP;
		*out = UNWIND_CFA_STUB | from;
		return !signal;
	}
	if (!is_register(&op[0], base, &offset))
		return false;
	uint16_t low = (uint16_t)(offset / 8) & 0xfff;

	if (n == 1 && *base == ARCH_DWARF_SP && !signal) {
		*out = (uint16_t)(offset / 8);
		return fits(offset, 0, 0x7fff);
	}
	if (!fits(offset, -0x800, 0x7ff))
		return false;
	if (n == 1 && *base == ARCH_DWARF_FP && !signal)
		*out = UNWIND_CFA_FP | low;
	else if (n == 2 && op[1].atom == DW_OP_deref && *base == ARCH_DWARF_FP && !signal)
		*out = UNWIND_CFA_AT_FP | low;
	else if (n == 3 && op[1].atom == DW_OP_deref && is_op(&op[2], DW_OP_plus_uconst, 8) &&
		 *base == ARCH_DWARF_SP && !signal)
		*out = UNWIND_CFA_AT_SP | low;
	else if (n == 2 && op[1].atom == DW_OP_deref && *base == ARCH_DWARF_SP && signal)
		*out = UNWIND_CFA_SIGNAL | low;
	else
		return false;
	return true;
}

enum where { NOWHERE, KEPT, AT_CFA, IS_CFA, AT_REGISTER, ELSEWHERE };

static enum where find_register(Dwarf_Frame *frame, int number, int *reg, int64_t *offset)
{
	Dwarf_Op mem[3], *op;
	size_t n;

	*offset = 0;
	if (dwarf_frame_register(frame, number, mem, &op, &n))
		return ELSEWHERE;
	if (!n)
		return op ? NOWHERE : KEPT;
	if (op[0].atom != DW_OP_call_frame_cfa)
		return ELSEWHERE;
	if (n > 1 && op[1].atom == DW_OP_plus_uconst) {
		*offset = (int64_t)op[1].number;
		op++;
		n--;
	}
	if (n == 1)
		return AT_CFA;
	if (n == 2 && op[1].atom == DW_OP_stack_value)
		return IS_CFA;
	return !*offset && n == 2 && is_register(&op[1], reg, offset) ? AT_REGISTER : ELSEWHERE;
}

static struct said say(Dwarf_Frame *frame)
{
	struct said s = unsaid;
	bool signal;
	int ret = dwarf_frame_info(frame, NULL, NULL, &signal), base, reg = -1;
	int64_t at;
	enum where where = find_register(frame, ret, &reg, &at);

	if (where == NOWHERE)
		return (struct said){ .cfa = UNWIND_CFA_END };
	if (ret != ARCH_DWARF_RETURN || !say_cfa(frame, signal, &s.cfa, &base))
		return unsaid;
	int64_t sp_at = (int64_t)((s.cfa & 0xfff) ^ 0x800) * 8 - 0x800 * 8;

	if (signal ? where != AT_REGISTER || reg != ARCH_DWARF_SP || at != sp_at + 8 :
		     where != AT_CFA || at != -8)
		return unsaid;
	where = find_register(frame, ARCH_DWARF_SP, &reg, &at);
	if (signal ? where != AT_REGISTER || reg != ARCH_DWARF_SP || at != sp_at :
		     where != IS_CFA || at)
		return unsaid;
	where = find_register(frame, ARCH_DWARF_FP, &reg, &at);
	if (where == NOWHERE)
		s.fp = UNWIND_FP_LOST;
	else if (where == AT_CFA && fits(at, -0x2000, 0x1fff))
		s.fp = UNWIND_FP_AT_CFA | ((uint16_t)(at / 8) & 0x3fff);
	else if (where == AT_REGISTER && reg == base && fits(at, -0x2000, 0x1fff))
		s.fp = UNWIND_FP_AT_BASE | ((uint16_t)(at / 8) & 0x3fff);
	else if (where != KEPT)
		return unsaid;
	return s;
}

/* ---- files ---- */

static void differs(struct figures *f, const char *path, uint64_t at, const char *what)
{
	if (f->differences++ < 10)
		print_message("%s: at %#" PRIx64 ": %s\n", path, at, what);
}

/* Where libdw finds what it knows of a file. */
struct cfis {
	Dwarf_CFI *eh_frame;
	Dwarf *dwarf;
	Dwarf_CFI *debug_frame;
};

static struct cfis cfis_open(struct objfile *o)
{
	struct cfis c = { .eh_frame = dwarf_getcfi_elf(o->elf) };
	GElf_Shdr shdr;

	if (objfile_section(o, ".debug_frame", &shdr))
		c.dwarf = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	if (c.dwarf)
		c.debug_frame = dwarf_getcfi(c.dwarf);
	return c;
}

static void cfis_close(struct cfis *c)
{
	if (c->eh_frame)
		dwarf_cfi_end(c->eh_frame);
	dwarf_end(c->dwarf);
}

static bool find_frame(const struct cfis *c, uint64_t at, Dwarf_Frame **frame)
{
	return (c->eh_frame && !dwarf_cfi_addrframe(c->eh_frame, at, frame)) ||
	       (c->debug_frame && !dwarf_cfi_addrframe(c->debug_frame, at, frame));
}

/* The rows from @at to @end say one thing, and so must libdw. */
static void compare_piece(struct figures *f, const char *path, const struct cfis *c,
			  const struct unwind_row *r, uint64_t at, uint64_t end)
{
	char text[128];

	while (at < end) {
		Dwarf_Frame *frame;
		Dwarf_Addr from, to;

		f->pieces++;
		if (!find_frame(c, at, &frame)) {
			if (r->cfa != UNWIND_CFA_NONE && r->cfa != UNWIND_CFA_UNSAID)
				differs(f, path, at, "libdw knows nothing of it");
			return;
		}
		dwarf_frame_info(frame, &from, &to, NULL);
		struct said s = say(frame);

		free(frame);
		snprintf(text, sizeof text, "row %#x %#x, libdw %#x %#x", r->cfa, r->fp, s.cfa,
			 s.fp);
		if (s.cfa != r->cfa || s.fp != r->fp)
			differs(f, path, at, text);
		if (at < from || at >= to) {
			differs(f, path, at, "libdw tells a range that it is not in");
			return;
		}
		at = to;
	}
}

static void compare_rows(struct figures *f, const char *path, const struct cfi_rows *t,
			 const struct cfis *c)
{
	for (size_t i = 0; i < t->n; i++) {
		uint64_t at = t->start + t->v[i].pc;
		uint64_t end = i + 1 < t->n ? t->start + t->v[i + 1].pc : t->end;

		if (i && t->v[i].pc <= t->v[i - 1].pc)
			differs(f, path, at, "rows are not in order");
		if (i && t->v[i].cfa == t->v[i - 1].cfa && t->v[i].fp == t->v[i - 1].fp)
			differs(f, path, at, "two rows are one");
		if (cfirows_find(t, at) != &t->v[i] || cfirows_find(t, end - 1) != &t->v[i])
			differs(f, path, at, "the row is not found");
		compare_piece(f, path, c, &t->v[i], at, end);
	}
}

/* Each function of the file is in the table, however it was made. */
static void compare_functions(struct figures *f, const char *path, const struct cfi_rows *t,
			      struct objfile *o)
{
	struct fdes fdes = { 0 };
	struct debug_frame debug = { 0 };

	assert_int_equal(fdes_read(&fdes, o), 0);
	assert_int_equal(debug_frame_read(&debug, o), 0);
	for (size_t i = 0; i < fdes.n + debug.fdes.n; i++) {
		const struct fde *fde = i < fdes.n ? &fdes.v[i] : &debug.fdes.v[i - fdes.n];
		const struct unwind_row *r = cfirows_find(t, fde->start);

		if (r && r->cfa == UNWIND_CFA_NONE)
			differs(f, path, fde->start, "a function is missing");
	}
	fdes_release(&fdes);
	debug_frame_release(&debug);
}

static void compare_file(struct figures *f, const char *path)
{
	struct objfile o;
	struct cfi_rows t = { 0 };
	size_t before = f->differences;

	if (objfile_open_path(&o, path))
		return;
	uint64_t began = clock_now_ns();

	assert_int_equal(cfirows_read(&t, &o), 0);
	uint64_t ns = clock_now_ns() - began;
	struct cfis c = cfis_open(&o);

	if (t.n && (c.eh_frame || c.debug_frame)) {
		compare_rows(f, path, &t, &c);
		compare_functions(f, path, &t, &o);
		print_message("%s: %zu functions, %zu skipped, %zu rows, %zu unsaid, %" PRIu64
			      " us, %zu differences\n", path, t.functions, t.skipped, t.n, t.unsaid,
			      ns / 1000, f->differences - before);
	}
	f->files += t.n && (c.eh_frame || c.debug_frame);
	f->functions += t.functions;
	f->skipped += t.skipped;
	f->rows += t.n;
	f->unsaid += t.unsaid;
	f->bytes += t.end - t.start;
	f->ns += ns;
	cfis_close(&c);
	cfirows_release(&t);
	objfile_close(&o);
}

static void print_figures(const struct figures *f)
{
	print_message("%zu files: %zu functions (%zu skipped), %zu rows (%zu unsaid) of %.1f MB of "
		      "code in %.1f ms; %zu pieces compared, %zu differ\n",
		      f->files, f->functions, f->skipped, f->rows, f->unsaid,
		      (double)f->bytes / 1e6, (double)f->ns / 1e6, f->pieces, f->differences);
}

/* The kernel's own library is in memory only. */
static void compare_vdso(struct figures *f)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)image;
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	char path[64];

	assert_true(image && fd >= 0);
	size_t size = eh->e_shoff + eh->e_shnum * sizeof(Elf64_Shdr), files = f->files;

	assert_int_equal(write(fd, image, size), size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	compare_file(f, path);
	close(fd);
	assert_int_equal(f->files, files + 1);
}

static int compare_mapped(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	compare_file(ctx, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
	return 0;
}

static void rows_say_what_libdw_says(void **state)
{
	static const char *const others[] = {
		"/usr/bin/python3", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/x86_64-linux-gnu/libffi.so.8", "/usr/lib/x86_64-linux-gnu/libgmp.so.10",
	};
	struct figures f = { 0 };

	(void)state;
	dl_iterate_phdr(compare_mapped, &f);
	compare_vdso(&f);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (access(others[i], R_OK))
			print_message("%s: not on this machine\n", others[i]);
		else
			compare_file(&f, others[i]);
	}
	print_figures(&f);
	assert_int_equal(f.differences, 0);
	assert_true(f.files >= 3 && f.functions > 1000 && f.rows > f.functions);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_say_what_libdw_says) };
	struct figures f = { 0 };

	if (argc < 2)
		return cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 1; i < argc; i++)
		compare_file(&f, argv[i]);
	print_figures(&f);
	return f.differences != 0;
}
