/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole stacks of this process, unwound by rows and by libgcc: through the C library, out of
 * signal handlers, through functions that align their stack, from threads.
 */
#include "unit/unit.h"

#include "symbols/cfirows.h"

#include <alloca.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#define MODULES_MAX 64
#define FRAMES_MAX 256

static struct {
	uint64_t bias;
	struct cfi_rows t;
} modules[MODULES_MAX];
static size_t n_modules;

static int read_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct objfile o;

	(void)size, (void)ctx;
	if (objfile_open_path(&o, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe"))
		return 0;	/* the vdso */
	assert_true(n_modules < MODULES_MAX);
	modules[n_modules].bias = info->dlpi_addr;
	assert_int_equal(cfirows_read(&modules[n_modules].t, &o), 0);
	objfile_close(&o);
	n_modules++;
	return 0;
}

static const struct unwind_row *find_row(uint64_t pc)
{
	for (size_t i = 0; i < n_modules; i++) {
		const struct unwind_row *r = cfirows_find(&modules[i].t, pc - modules[i].bias);

		if (r && r->cfa != UNWIND_CFA_NONE)
			return r;
	}
	return NULL;
}

/* Sanitizers have words on the stack that only they may read. */
__attribute__((no_sanitize("address"))) static bool read_own(void *ctx, uint64_t at,
							     uint64_t *word)
{
	(void)ctx;
	*word = *(const volatile uint64_t *)(uintptr_t)at;
	return true;
}

struct stack {
	uint64_t pc[FRAMES_MAX], sp[FRAMES_MAX];
	size_t n;
	bool signal, drap;
	enum unwind_step last;
};

__attribute__((noinline, no_sanitize("address"))) static void
walk_by_rows(struct unwind_frame f, struct stack *s)
{
	bool exact = true;
	const struct unwind_row *r;
	uint64_t fp_at;

	*s = (struct stack){ .last = UNWIND_UNKNOWN };
	while (s->n < FRAMES_MAX) {
		s->pc[s->n] = f.pc;
		s->sp[s->n++] = f.sp;
		r = find_row(exact ? f.pc : f.pc - 1);
		if (!r)
			return;
		s->drap |= (r->cfa & UNWIND_CFA_KIND) == UNWIND_CFA_AT_FP;
		s->last = unwind_row_step(r->cfa, r->fp, &f, &fp_at, read_own, NULL);
		exact = s->last == UNWIND_INTERRUPTED;
		s->signal |= exact;
		if (s->last != UNWIND_CALLER && !exact)
			return;
	}
}

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *c, void *ctx)
{
	struct stack *s = ctx;

	/* behind the outermost comes a frame without a pc */
	if (s->n == FRAMES_MAX || !_Unwind_GetIP(c))
		return _URC_END_OF_STACK;
	s->pc[s->n] = _Unwind_GetIP(c);
	s->sp[s->n++] = _Unwind_GetCFA(c);
	return _URC_NO_REASON;
}

/* What the last comparison saw; looked at when the test is back from where it was called. */
static struct stack by_rows, by_libgcc;

/* Walk from here, both ways. */
__attribute__((noinline)) static void look_around(void)
{
	ucontext_t u;

	getcontext(&u);
	walk_by_rows((struct unwind_frame){ (uint64_t)u.uc_mcontext.gregs[REG_RIP],
					    (uint64_t)u.uc_mcontext.gregs[REG_RSP],
					    (uint64_t)u.uc_mcontext.gregs[REG_RBP] }, &by_rows);
	by_libgcc = (struct stack){ 0 };
	_Unwind_Backtrace(note_frame, &by_libgcc);
}

/* The innermost frame is this file's own, which each walk begins at another instruction of. */
static void assert_walks_agree(size_t frames)
{
	assert_true(by_rows.n > frames);
	assert_int_equal(by_rows.last, UNWIND_END);
	assert_int_equal(by_rows.n, by_libgcc.n);
	assert_int_equal(by_rows.sp[0], by_libgcc.sp[0]);
	for (size_t i = 1; i < by_rows.n; i++) {
		assert_int_equal(by_rows.pc[i], by_libgcc.pc[i]);
		assert_int_equal(by_rows.sp[i], by_libgcc.sp[i]);
	}
}

static int compare_and_look(const void *a, const void *b)
{
	look_around();
	return *(const int *)a - *(const int *)b;
}

static void through_the_c_library(void **state)
{
	int v[] = { 3, 1 };

	(void)state;
	qsort(v, 2, sizeof *v, compare_and_look);
	assert_walks_agree(4);
}

static void handler(int sig)
{
	(void)sig;
	look_around();
}

static void out_of_a_signal_handler(void **state)
{
	struct sigaction sa = { .sa_handler = handler }, was;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &sa, &was), 0);
	raise(SIGUSR1);
	assert_int_equal(sigaction(SIGUSR1, &was, NULL), 0);
	assert_true(by_rows.signal);
	assert_walks_agree(6);
}

/* The handler runs on another stack. */
static void from_an_alternate_stack(void **state)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK }, was;
	stack_t alternate = { .ss_sp = malloc(256 << 10), .ss_size = 256 << 10 }, old;

	(void)state;
	assert_non_null(alternate.ss_sp);
	assert_int_equal(sigaltstack(&alternate, &old), 0);
	assert_int_equal(sigaction(SIGUSR1, &sa, &was), 0);
	raise(SIGUSR1);
	assert_int_equal(sigaction(SIGUSR1, &was, NULL), 0);
	assert_int_equal(sigaltstack(&old, NULL), 0);
	free(alternate.ss_sp);
	assert_true(by_rows.signal);
	assert_walks_agree(6);
}

static volatile int sink;

/* A variable that wants more than the stack has, and one whose size is known only here: gcc's
 * DRAP. */
__attribute__((noinline)) static void aligned(int n)
{
	_Alignas(64) volatile char v[64];
	volatile char *more = alloca((size_t)n);

	v[n & 63] = 1;
	more[0] = 2;
	look_around();
	sink = v[1] + more[0];
}

static void through_functions_that_align_the_stack(void **state)
{
	(void)state;
	aligned(100);
#ifndef __clang__
	assert_true(by_rows.drap);
#endif
	assert_walks_agree(3);
}

__attribute__((noinline)) static int deep(int n)
{
	if (n)
		return deep(n - 1) + sink;
	look_around();
	return sink;
}

static void deep_recursion(void **state)
{
	(void)state;
	sink = deep(100);
	assert_walks_agree(100);
}

static void *thread(void *arg)
{
	aligned(10);
	return arg;
}

static void out_to_where_a_thread_begins(void **state)
{
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, thread, NULL), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_walks_agree(3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_the_c_library),
		cmocka_unit_test(out_of_a_signal_handler),
		cmocka_unit_test(from_an_alternate_stack),
		cmocka_unit_test(through_functions_that_align_the_stack),
		cmocka_unit_test(deep_recursion),
		cmocka_unit_test(out_to_where_a_thread_begins),
	};

	/* what libgcc links lazily is there from here on */
	look_around();
	dl_iterate_phdr(read_module, NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	for (size_t i = 0; i < n_modules; i++)
		cfirows_release(&modules[i].t);
	return failed;
}
