/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of functions of which some can have pads and others are trapped, nested in each other,
 * left by longjmp, interrupted by signals, in threads: beside nest|jump|signal|threads|vfork|fork;
 * serve: in threads, or with another argument in one, without end.
 * To be run with --hook=malloc:pool_take --hook=free:pool_give --hook=realloc:pool_more */
#include "beside.h"
#include "live.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { TIMES = 50, THREADS = 4 };

/* Each by its own size; what is inside of them has another. */
static void nest(size_t first)
{
	void *p[7];

	p[0] = je_malloc(first);
	p[1] = pool_take(first + 1);
	p[2] = malloc(first + 2);
	p[3] = je_calloc(1, first + 3);
	p[4] = je_realloc(je_malloc(first + 4), first + 5);
	p[5] = pool_more(pool_take(first + 6), first + 7);
	p[6] = pool_more(NULL, first + 8);
	for (size_t i = 0; i < LENGTH(p); i++)
		*(void **)p[i] = &p[i];
	for (size_t i = 0; i < LENGTH(p); i++)
		if (*(void **)p[i] != &p[i])
			say("BROKEN\n");
	je_free(p[0]);
	pool_give(p[1]);
	free(p[2]);
	pool_give(p[3]);
	je_free(p[4]);
	je_free(p[5]);
	je_free(p[6]);
	je_free(NULL);
}

static void nest_bins(size_t first, unsigned times)
{
	for (size_t i = 0; i < 9; i++)
		bin(first + i, times, times);
	for (size_t i = 0; i < 9; i++)
		bin(first + i + HEADER, 0, 0);
}

/* ---- longjmp ---- */

static sigjmp_buf back;

static void leave(void)
{
	siglongjmp(back, 1);
}

/* Where it goes on is not where the call would have returned to. */
static NOINLINE void left_by_longjmp(void *(*take)(size_t), size_t n)
{
	static volatile unsigned returned;

	beside_inside = leave;
	if (!sigsetjmp(back, 0)) {
		take(n);
		returned = returned + 1;
	}
	beside_inside = NULL;
}

static void *more(size_t n)
{
	static void *p;

	if (!p) {
		beside_inside = NULL;
		p = pool_take(8501);
		beside_inside = leave;
	}
	return pool_more(p, n);
}

/* Whatever is left on the stack of a call that was abandoned is above, at, or below the next. */
static NOINLINE void deeper(unsigned levels, void (*fn)(size_t), size_t n)
{
	volatile char room[200];

	room[0] = 0;
	if (levels)
		deeper(levels - 1, fn, n);
	else
		fn(n);
	room[1] = room[0];
}

static void take_malloc(size_t n)
{
	free(malloc(n));
}

static void take_je(size_t n)
{
	je_free(je_malloc(n));
}

static void take_pool(size_t n)
{
	pool_give(pool_take(n));
}

static void jump(void)
{
	void (*const then[])(size_t) = { take_malloc, take_je, take_pool };
	void *(*const first[])(size_t) = { je_malloc, pool_take, more };

	for (unsigned i = 0; i < TIMES; i++)
		for (unsigned f = 0; f < LENGTH(first); f++)
			for (unsigned t = 0; t < LENGTH(then); t++) {
				left_by_longjmp(first[f], 8401 + f);
				deeper((i + f) % 4, then[t], 8411 + t);
			}
	for (unsigned f = 0; f < LENGTH(first); f++)
		bin(8401 + f, 0, 0);
	for (unsigned t = 0; t < LENGTH(then); t++) {
		bin(8411 + t, LENGTH(first) * TIMES, LENGTH(first) * TIMES);
		bin(8411 + t + HEADER, 0, 0);
	}
	bin(8501, 1, 0);
	bin(8501 + HEADER, 0, 0);
}

/* ---- signals ---- */

static void in_handler(int sig)
{
	void (*inside)(void) = beside_inside;

	beside_inside = NULL;
	nest(sig == SIGUSR1 ? 8601 : 8651);
	beside_inside = inside;
}

static void raise_it(void)
{
	raise(SIGUSR1);
}

static void raise_on_other_stack(void)
{
	raise(SIGUSR2);
}

static void interrupted(void)
{
	static char other[1 << 16];
	const stack_t stack = { .ss_sp = other, .ss_size = sizeof other };
	struct sigaction a = { .sa_handler = in_handler };

	MUST(!sigaction(SIGUSR1, &a, NULL));
	a.sa_flags = SA_ONSTACK;
	MUST(!sigaltstack(&stack, NULL) && !sigaction(SIGUSR2, &a, NULL));
	for (unsigned i = 0; i < TIMES; i++) {
		beside_inside = i % 2 ? raise_it : raise_on_other_stack;
		nest(8301);
	}
	beside_inside = NULL;
	nest_bins(8301, TIMES);
	/* Each time by 15 functions inside. */
	nest_bins(8601, 15 * TIMES / 2);
	nest_bins(8651, 15 * TIMES / 2);
}

/* ---- threads ---- */

static void *work(void *first)
{
	for (unsigned i = 0; i < TIMES; i++)
		nest((size_t)first);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, (void *)(8301 + i % 2 * 40)));
	for (size_t i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
	nest_bins(8301, THREADS / 2 * TIMES);
	nest_bins(8341, THREADS / 2 * TIMES);
}

static atomic_ulong rounds;
static atomic_bool over;

static void *work_on(void *first)
{
	for (; !over; rounds++)
		nest((size_t)first);
	return NULL;
}

static void report(void)
{
	say("report %lu\n", (unsigned long)rounds);
}

static void serve(size_t n)
{
	pthread_t t[THREADS];

	for (size_t i = 0; i < n; i++)
		MUST(!pthread_create(&t[i], NULL, work_on, (void *)8301));
	live_serve(report, NULL);
	over = true;
	for (size_t i = 0; i < n; i++)
		MUST(!pthread_join(t[i], NULL));
	nest_bins(8301, (unsigned)rounds);
	say("checksum right\n");
}

/* ---- children that share the memory ---- */

/* What it calls that is trapped is inside of nothing, though its parent is in the middle of a
 * call. */
static void with_child(void)
{
	int wstatus;

	beside_inside = NULL;
	pid_t child = vfork();
	if (!child) {
		pool_give(pool_take(8201));
		_exit(0);
	}
	beside_inside = with_child;
	MUST(child > 0 && waitpid(child, &wstatus, 0) == child);
}

static void vforks(void)
{
	for (unsigned i = 0; i < TIMES; i++) {
		beside_inside = i % 2 ? with_child : NULL;
		pool_give(pool_more(pool_take(8301), 8302));
		free(malloc(8303));
	}
	for (size_t i = 0; i < 3; i++) {
		bin(8301 + i, TIMES, TIMES);
		bin(8301 + i + HEADER, 0, 0);
	}
	/* Each time by three functions inside. */
	bin(8201, 3 * TIMES / 2, 3 * TIMES / 2);
}

static bool is_child;

/* It goes on in the middle of the calls that its parent was in. */
static void with_copy(void)
{
	pid_t child = fork();
	int wstatus;

	beside_inside = NULL;
	is_child = !child;
	if (child)
		MUST(child > 0 && waitpid(child, &wstatus, 0) == child && !wstatus);
}

static void forks(void)
{
	for (unsigned i = 0; i < TIMES; i++) {
		beside_inside = i % 2 ? with_copy : NULL;
		nest(8301);
		if (is_child) {
			nest(8301);
			_exit(0);
		}
	}
	nest_bins(8301, TIMES);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nest";

	if (!strcmp(what, "jump"))
		jump();
	else if (!strcmp(what, "signal"))
		interrupted();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "vfork"))
		vforks();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "serve"))
		serve(argc > 2 ? 1 : THREADS);
	for (unsigned i = 0; !strcmp(what, "nest") && i < TIMES; i++)
		nest(8301);
	if (!strcmp(what, "nest"))
		nest_bins(8301, TIMES);
	return 0;
}
