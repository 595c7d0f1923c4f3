/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks whose class is known, because this program made them so. Its commands:
 *
 *	build		all of them, then a line for each kind, then "built":
 *	    lost SIZE BLOCKS THROUGH_BLOCKS THROUGH_BYTES WHAT	nothing points at them
 *	    possible SIZE BLOCKS WHAT				only pointers into them
 *	    idiom SIZE BLOCKS WHAT				the same, in ways that programs use
 *	    behind SIZE BLOCKS WHAT				some are behind such pointers
 *	    reachable SIZE BLOCKS WHAT
 *	leave		ends by _exit(2), after LeakSanitizer's check, if it is linked
 *
 * Each kind has a size of its own, by malloc_usable_size(3). Tables are volatile: compilers drop
 * what is only written, and its blocks would be lost.
 */
#include "live.h"

#include <linux/futex.h>
#include <malloc.h>
#include <search.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

enum {
	FEW = 7, /* less than would be a rule */
	KEYS = 40,
	LIST = 1000,
	MANY = 200,
	CYCLES = 5,
	STACK = 256 << 10,
	PAGE = 4096,
	REGULAR_AT = 4104,
	TABLE = 8192
};

struct node {
	struct node *volatile next, *volatile other;
};

static void *volatile table[TABLE];
static size_t n_table;
static __thread void *volatile in_tls[FEW];
static void *volatile tree;
static volatile uintptr_t hidden[2];
static int never; /* futexes that nobody wakes */
static int epoll_fd;
static ucontext_t here, aside;

/* Of a program that is built with LeakSanitizer. */
void __lsan_do_leak_check(void) __attribute__((weak));

static size_t next_size = 24;

/* A size that no other kind has, and no block of the C library's. */
static size_t new_size(void)
{
	return next_size += 16;
}

static void *block(size_t size)
{
	void *p = calloc(1, size);

	MUST(p && malloc_usable_size(p) == size);
	return p;
}

static void keep(void *p)
{
	MUST(n_table < TABLE);
	table[n_table++] = p;
}

static void say_kind(const char *class, size_t size, size_t n, const char *what)
{
	say("%s %zu %zu %s\n", class, size, n, what);
}

static void say_lost(size_t size, size_t n, size_t through, size_t bytes, const char *what)
{
	say("lost %zu %zu %zu %zu %s\n", size, n, through, bytes, what);
}

/* A chain of @n; the first. */
static struct node *chain(size_t size, size_t n)
{
	struct node *first = NULL;

	while (n--) {
		struct node *p = block(size);

		p->next = first;
		first = p;
	}
	return first;
}

/* ---- reachable ---- */

static void in_globals(void)
{
	size_t size = new_size();

	for (int i = 0; i < FEW; i++)
		keep(block(size));
	say_kind("reachable", size, FEW, "in a table");
	size = new_size();
	keep(chain(size, LIST));
	say_kind("reachable", size, LIST, "in a list");
	size = new_size();
	struct node *last = chain(size, 1);
	last->next = chain(size, 2);
	last->next->next->next = last;
	keep(last);
	say_kind("reachable", size, 3, "in a cycle that a table leads to");
}

static void in_thread_data(void)
{
	size_t size = new_size();
	pthread_key_t key;

	for (int i = 0; i < FEW; i++)
		in_tls[i] = block(size);
	say_kind("reachable", size, FEW, "in thread-local memory");
	size = new_size();
	for (int i = 0; i < KEYS; i++)
		MUST(!pthread_key_create(&key, NULL) && !pthread_setspecific(key, block(size)));
	say_kind("reachable", size, KEYS, "as values of thread keys");
}

static void fill_with(void *volatile *to, size_t size, const char *what)
{
	for (int i = 0; i < FEW; i++)
		to[i] = block(size);
	say_kind("reachable", size, FEW, what);
}

static void in_mappings(void)
{
	int prot = PROT_READ | PROT_WRITE;
	void *own = mmap(NULL, PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *shared = mmap(NULL, PAGE, prot, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *sealed = mmap(NULL, PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(own != MAP_FAILED && shared != MAP_FAILED && sealed != MAP_FAILED);
	fill_with(own, new_size(), "in a mapping of its own");
	fill_with(shared, new_size(), "in shared memory");
	fill_with(sealed, new_size(), "in memory made read-only");
	MUST(!mprotect(sealed, PAGE, PROT_READ));
}

/* Memory in the middle of [heap] that malloc knows nothing of. */
static void in_break(void)
{
	void *volatile *mine = sbrk(PAGE);

	MUST(mine != (void *)-1);
	fill_with(mine, new_size(), "in memory from sbrk");
	/* A block that has a mapping of its own. */
	mine = calloc(1, 300000);
	MUST(mine);
	keep((void *)mine);
	fill_with(mine + 30000, new_size(), "in a large block");
	/* A page of a table that nobody is to change any more, among other blocks. */
	mine = aligned_alloc(PAGE, PAGE);
	MUST(mine);
	keep((void *)mine);
	fill_with(mine, new_size(), "in a block made read-only");
	MUST(!mprotect((void *)mine, PAGE, PROT_READ));
}

static void in_kernel(void)
{
	size_t size = new_size();

	epoll_fd = epoll_create1(0);
	MUST(epoll_fd >= 0);
	for (int i = 0; i < FEW; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = block(size)};
		int fd = eventfd(0, 0);

		MUST(fd >= 0 && !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e));
		e.data.ptr = NULL;
	}
	say_kind("reachable", size, FEW, "in an epoll set");
	size = new_size();
	for (int i = 0; i < FEW; i++) {
		struct sigevent e = {.sigev_notify = SIGEV_SIGNAL,
				     .sigev_signo = SIGURG,
				     .sigev_value.sival_ptr = block(size)};
		timer_t timer;

		MUST(!timer_create(CLOCK_MONOTONIC, &e, &timer));
		e.sigev_value.sival_ptr = NULL;
	}
	say_kind("reachable", size, FEW, "in timers");
}

/* ---- stacks and registers ---- */

static atomic_int waiting;

/* Wait for ever, without a function of the C library, which would save registers. */
static void wait_with(uintptr_t inverted, bool vector)
{
	atomic_fetch_add(&waiting, 1);
	__asm__ volatile("mov %[v], %%r12\n\t"
			 "not %%r12\n\t"
			 "test %[vector], %[vector]\n\t"
			 "jz 1f\n\t"
			 "movq %%r12, %%xmm9\n\t"
			 "xor %%r12d, %%r12d\n"
			 "1:\tmov %[nr], %%eax\n\t"
			 "xor %%r10d, %%r10d\n\t"
			 "syscall\n\t"
			 "jmp 1b"
			 :
			 : [v] "r"(inverted), [vector] "r"((int)vector), [nr] "i"(SYS_futex),
			   "D"(&never), "S"(FUTEX_WAIT_PRIVATE), "d"(0)
			 : "r12", "r10", "rax", "rcx", "r11", "xmm9", "memory");
}

static void *with_register(void *which)
{
	uintptr_t inverted = hidden[(uintptr_t)which];

	hidden[(uintptr_t)which] = 0;
	wait_with(inverted, which);
	return NULL;
}

static void *with_stack(void *size)
{
	void *volatile mine[FEW];

	fill_with(mine, (size_t)size, "on a thread's stack");
	atomic_fetch_add(&waiting, 1);
	for (;;)
		syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, NULL, mine, 0);
	return NULL;
}

static void begin_thread(const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	pthread_t thread;
	int before = atomic_load(&waiting);

	MUST(!pthread_create(&thread, attr, fn, arg));
	while (atomic_load(&waiting) == before)
		sched_yield();
}

static void in_threads(void)
{
	pthread_attr_t attr;
	size_t size = new_size();

	begin_thread(NULL, with_stack, (void *)new_size());
	for (uintptr_t i = 0; i < 2; i++) {
		hidden[i] = ~(uintptr_t)block(size);
		begin_thread(NULL, with_register, (void *)i);
	}
	say_kind("reachable", size, 2, "in registers");
	/* A stack that is a block of malloc's. */
	MUST(!pthread_attr_init(&attr));
	MUST(!pthread_attr_setstack(&attr, aligned_alloc(PAGE, STACK), STACK));
	begin_thread(&attr, with_stack, (void *)new_size());
	memset(&attr, 0, sizeof attr);
}

static void on_the_side(void)
{
	void *volatile mine[FEW];

	fill_with(mine, new_size(), "on the stack of a coroutine");
	swapcontext(&aside, &here);
	say("%p\n", mine[0]);
}

/* A coroutine that does not run: its stack is a block. */
static void in_coroutine(void)
{
	void *stack = calloc(1, STACK);

	MUST(stack && !getcontext(&aside));
	keep(stack);
	aside.uc_stack.ss_sp = stack;
	aside.uc_stack.ss_size = STACK;
	makecontext(&aside, on_the_side, 0);
	MUST(!swapcontext(&here, &aside));
}

/* ---- by idioms ---- */

static int by_address(const void *left, const void *right)
{
	return left < right ? -1 : left > right;
}

static void by_idioms(void)
{
	size_t size = new_size();

	for (uintptr_t i = 0; i < FEW; i++)
		keep((void *)((uintptr_t)block(size) | (i + 1)));
	say_kind("idiom", size, FEW, "with tag bits");
	size = new_size();
	for (int i = 0; i < FEW; i++)
		keep((char *)block(size) + 8);
	say_kind("idiom", size, FEW, "behind a short header");
	/* Links that lead to links. */
	size = new_size();
	struct node *first = NULL;
	for (int i = 0; i < MANY; i++) {
		struct node *link = (struct node *)((char *)block(size) + 32);

		link->next = first;
		first = link;
	}
	keep(first);
	say_kind("idiom", size, MANY, "by links in their middle");
	/* Pages of a cache, whose headers are behind them. */
	size = 5 * PAGE + 8;
	for (int i = 0; i < MANY; i++)
		keep((char *)block(size) + REGULAR_AT);
	say_kind("idiom", size, MANY, "pages of a cache");
	/* Nodes of a tree whose colours are bits of its pointers: what they lead to is reachable.
	 */
	size = new_size();
	for (int i = 0; i < MANY; i++)
		MUST(tsearch(block(size), (void **)&tree, by_address));
	say_kind("behind", size, MANY, "in a tree with colours in its pointers");
}

/* ---- possible ---- */

static void possible(void)
{
	size_t size = new_size(), behind = new_size();

	for (int i = 0; i < FEW; i++) {
		struct node *p = block(size);

		p->next = block(behind);
		keep((char *)p + 40);
	}
	say_kind("possible", size, FEW, "by their middle");
	say_kind("possible", behind, FEW, "behind those");
	/* Many of them, but not all in one place. */
	size = new_size();
	for (int i = 0; i < MANY; i++) {
		char *p = block(size);

		keep(p + 24);
		keep(p + 48);
	}
	say_kind("possible", size, MANY, "in two places of each");
}

/* ---- lost ---- */

static void lost_alone(void)
{
	size_t size = new_size();

	for (int i = 0; i < FEW; i++) {
		struct node *p = block(size);

		p->other = p;
		p->next = table[0];
	}
	say_lost(size, FEW, 0, 0, "alone");
}

static void lost_lists(void)
{
	size_t size = new_size(), behind = new_size();

	for (int i = 0; i < FEW; i++) {
		struct node *p = block(size);

		p->next = chain(behind, LIST);
	}
	say_lost(size, FEW, FEW * LIST, FEW * LIST * behind, "heads of lists");
	/* A pointer into what is behind is enough. */
	size = new_size();
	behind = new_size();
	struct node *p = block(size);
	p->next = (struct node *)((char *)block(behind) + 16);
	say_lost(size, 1, 1, behind, "head with a pointer into another block");
	/* Two heads, one tail: it is behind one of them. */
	size = new_size();
	behind = new_size();
	struct node *tail = chain(behind, LIST);
	for (int i = 0; i < 2; i++) {
		p = block(size);
		p->next = tail;
	}
	say_lost(size, 2, LIST, LIST * behind, "two heads of one list");
}

static struct node *cycle(size_t size, int n)
{
	struct node *first = block(size), *last = first;

	while (--n) {
		last->next = block(size);
		last = last->next;
	}
	last->next = first;
	return first;
}

static void lost_cycles(void)
{
	size_t size = new_size(), behind = new_size();

	for (int i = 0; i < CYCLES; i++)
		cycle(size, 3);
	say_lost(size, CYCLES, CYCLES * 2, CYCLES * 2 * size, "cycles");
	/* Behind a head that is at a higher address, one into the middle: the cycle has no head. */
	size = new_size();
	struct node *into = cycle(behind, LIST)->next->next;
	struct node *p = block(size);
	p->next = into;
	say_lost(size, 1, LIST, LIST * behind, "head with a pointer into a cycle");
	/* Two cycles, of which one leads to the other. */
	size = new_size();
	behind = new_size();
	p = cycle(behind, 4);
	cycle(size, 4)->other = p->next;
	say_lost(size, 1, 3 + 4, 3 * size + 4 * behind, "two cycles");
}

/* ---- all of it ---- */

/* What functions have left on the stack. */
static void scrub(void)
{
	volatile char junk[16 << 10];

	for (size_t i = 0; i < sizeof junk; i++)
		junk[i] = 0;
}

static void build(void)
{
	in_globals();
	in_thread_data();
	in_mappings();
	in_break();
	in_kernel();
	in_threads();
	in_coroutine();
	by_idioms();
	possible();
	lost_alone();
	lost_lists();
	lost_cycles();
}

static void command(const char *word)
{
	if (!strcmp(word, "leave")) {
		scrub();
		if (__lsan_do_leak_check)
			__lsan_do_leak_check();
		_exit(0);
	}
	if (strcmp(word, "build"))
		return;
	build();
	scrub();
	say("built\n");
}

static void report(void)
{
	say("report 1\n");
}

int main(void)
{
	live_serve(report, command);
	_exit(0);
}
