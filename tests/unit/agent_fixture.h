/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_AGENT_FIXTURE_H
#define MPROF_TEST_AGENT_FIXTURE_H

#include "agent/agent_internal.h"
#include "fast/ring.h"
#include "fast/threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * A program for the agent: this test itself. Its allocator returns addresses, not memory; pads call
 * the agent, compiled natively or loaded as a blob; a thread of the test is the tracer.
 */

static const uint8_t test_blob[] = {
#include "agent_test_blob.inc"
};

/* Behind the entries of the agent that is under test. */
void *entry_enter, *entry_begin, *entry_end, *entry_free;
uint8_t pads_active;
/* What is set in the processor's flags while the agent runs: 0, or CHECKS_ALIGNMENT. */
uint64_t pads_flags;
enum { CHECKS_ALIGNMENT = 0x40000 };

/* Agents switch it off, in any thread. */
static inline unsigned are_pads_active(void)
{
	return __atomic_load_n(&pads_active, __ATOMIC_RELAXED);
}

#define PAD_SAVE \
	"	push %rax\n	push %rcx\n	push %rdx\n	push %rsi\n	push %rdi\n" \
	"	push %r8\n	push %r9\n	push %r10\n	push %r11\n"
#define PAD_RESTORE \
	"	pop %r11\n	pop %r10\n	pop %r9\n	pop %r8\n" \
	"	pop %rdi\n	pop %rsi\n	pop %rdx\n	pop %rcx\n	pop %rax\n"
#define PAD_BEGIN(name) \
	".pushsection agent_pads, \"ax\", @progbits\n" \
	".balign 16\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" \
	"	cmpb $0, pads_active(%rip)\n"
#define PAD_END "	ret\n.popsection\n"
#define PAD_STRING(x) PAD_STRING_OF(x)
#define PAD_STRING_OF(x) #x
/* The program may have alignment checked. */
#define PAD_CALL(entry) \
	"	pushfq\n	mov pads_flags(%rip), %rax\n	or %rax, (%rsp)\n	popfq\n" \
	"	call *" #entry "(%rip)\n" \
	"	pushfq\n	andq $~0x40000, (%rsp)\n	popfq\n"
#define PAD_TELL(entry, probe) \
	"	mov %rbp, %rdx\n	mov $" PAD_STRING(probe) ", %ecx\n" PAD_CALL(entry)

/*
 * Pads as arch/pads.h has them, of a call that keeps three words: @keep stores the arguments at
 * rsp, from where they are.
 */
#define CALL_PAD(name, real, probe, keep) CALL_PAD_ASKS(name, real, probe, keep, "")
/* The same of a function whose beginning is no event. */
#define ALLOC_PAD(name, real, probe, keep) \
	CALL_PAD_ASKS(name, real, probe, keep, \
		      "	push %rax\n	push %rdi\n	lea 40(%rsp), %rdi\n" \
		      PAD_CALL(entry_enter) "	test %al, %al\n" \
		      "	pop %rdi\n	pop %rax\n	jne 1f\n")
#define CALL_PAD_ASKS(name, real, probe, keep, ask) \
	__asm__(PAD_BEGIN(name) "	je " #real "\n" \
				"	sub $24, %rsp\n" keep ask \
				"	sub $8, %rsp\n" PAD_SAVE \
				"	lea 80(%rsp), %rdi\n	lea 104(%rsp), %rsi\n" \
				PAD_TELL(entry_begin, probe) PAD_RESTORE \
				"	add $8, %rsp\n" \
				"1:	call " #real "\n" \
				"	sub $8, %rsp\n" PAD_SAVE \
				"	mov %rax, %rdi\n	lea 104(%rsp), %rsi\n" \
				"	lea 80(%rsp), %r8\n" \
				PAD_TELL(entry_end, probe) PAD_RESTORE \
				"	add $32, %rsp\n" PAD_END)
#define TAIL_PAD(name, real, probe) \
	__asm__(PAD_BEGIN(name) "	je " #real "\n" PAD_SAVE \
				"	lea 72(%rsp), %rsi\n" \
				PAD_TELL(entry_free, probe) PAD_RESTORE \
				"	jmp " #real "\n" PAD_END)
#define KEEP_1 "	mov %rdi, (%rsp)\n"
#define KEEP_2 KEEP_1 "	mov %rsi, 8(%rsp)\n"
#define KEEP_3 KEEP_2 "	mov %rdx, 16(%rsp)\n"
#define KEEP_FIRST_AND_THIRD KEEP_1 "	mov %rdx, 8(%rsp)\n"

/* There may be none in a test. */
__asm__(".pushsection agent_pads, \"ax\", @progbits\n.balign 16\n.popsection\n");
extern const char __start_agent_pads[], __stop_agent_pads[];

/* Calls @f(@arg) as if nobody had called: the outermost frame. */
void *as_outermost(void *(*f)(void *), void *arg);
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".type as_outermost, @function\n"
	"as_outermost:\n"
	"	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".popsection\n");

struct world {
	struct agent_shared *shared;
	struct ring *ring;
	struct threads *threads;
	void *code;		/* the blob; NULL: native */
	struct agent_modules *modules;
	pthread_mutex_t lock;	/* of threads */
	/* The tracer's thread. */
	pthread_t tracer;
	bool running, stop, stalled;
	bool nobody; /* no thread that asks for its name is known */
	unsigned early; /* so many answers about memory have been read before it was asked */
	ring_take *take;
	void *ctx;
};

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Wait for a state, with a deadline. */
#define WAIT_UNTIL(state)                                                                          \
	for (uint64_t begun_ = now_ns(); !(state); usleep(100))                                    \
	assert_true(now_ns() - begun_ < UINT64_C(120000000000))

/* So far the first thread's stack may grow in a test. */
#define STACK_ROOM (64 << 20)

/* What the tracer knows of this process's memory. */
static inline void tell_ranges(struct agent_shared *s)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long lo, hi;
	char line[512], perms[8];
	uint32_t n = 0;

	assert_non_null(f);
	__atomic_fetch_add(&s->ranges_turn, 1, __ATOMIC_SEQ_CST);
	while (fgets(line, sizeof line, f) && n < AGENT_RANGES) {
		if (sscanf(line, "%lx-%lx %4s", &lo, &hi, perms) != 3 ||
		    strncmp(perms, "rw", 2) != 0)
			continue;
		/* It grows; what is below a stack pointer is never read. */
		if (strstr(line, "[stack]"))
			lo = hi - STACK_ROOM;
		__atomic_store_n(&s->ranges[n].lo, lo, __ATOMIC_RELAXED);
		__atomic_store_n(&s->ranges[n++].hi, hi, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&s->n_ranges, n, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->ranges_turn, 1, __ATOMIC_SEQ_CST);
	fclose(f);
}

/* Where this process's code is, as modules without rows. */
static inline struct agent_modules *tell_code(struct agent_shared *s)
{
	struct agent_modules *all = calloc(1, sizeof *all + 256 * sizeof *all->v);
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long lo, hi;
	char line[512], perms[8];

	assert_non_null(all);
	assert_non_null(f);
	while (fgets(line, sizeof line, f) && all->n < 256)
		/* Without the last bytes of each: so many are looked at. */
		if (sscanf(line, "%lx-%lx %4s", &lo, &hi, perms) == 3 &&
		    !strncmp(perms, "r-x", 3))
			all->v[all->n++] = (struct agent_module){ .lo = lo, .hi = hi - 16 };
	fclose(f);
	s->modules = (uintptr_t)all;
	return all;
}

static inline struct agent_shared *new_shared(void)
{
	struct agent_shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(s, MAP_FAILED);
	s->owner = (uint32_t)getpid();
	return s;
}

static inline void free_shared(struct agent_shared *s)
{
	munmap(s, sizeof *s);
}

static inline void *load_blob(struct agent_shared *s)
{
	size_t size = (sizeof test_blob + 4095) & ~(size_t)4095;
	uint8_t *code =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct agent_head *head = (struct agent_head *)code;

	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, test_blob, sizeof test_blob);
	assert_int_equal(head->magic, AGENT_MAGIC);
	head->shared = (uintptr_t)s;
	entry_enter = code + head->enter;
	entry_begin = code + head->begin;
	entry_end = code + head->end;
	entry_free = code + head->free;
	s->agent_lo = (uintptr_t)code;
	s->agent_hi = (uintptr_t)code + size;
	assert_int_equal(mprotect(code, size, PROT_READ | PROT_EXEC), 0);
	return code;
}

static inline void enter_native(struct agent_shared *s)
{
	char *head = (char *)&agent_head;

	assert_int_equal(agent_head.magic, AGENT_MAGIC);
	agent_head.shared = (uintptr_t)s;
	entry_enter = head + agent_head.enter;
	entry_begin = head + agent_head.begin;
	entry_end = head + agent_head.end;
	entry_free = head + agent_head.free;
}

/* Asked: a thread wants to be known by its thread pointer. */
static inline void answer_name(struct world *w)
{
	uint64_t key = __atomic_load_n(&w->shared->nameless, __ATOMIC_ACQUIRE);

	if (!key)
		return;
	pthread_mutex_lock(&w->lock);
	if (w->nobody)
		threads_stranger(w->threads, key - 1);
	else
		threads_begin(w->threads, key - 1, getpid());
	pthread_mutex_unlock(&w->lock);
	__atomic_compare_exchange_n(&w->shared->nameless, &key, 0, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

/* One look of the tracer. */
static inline uint64_t look(struct world *w)
{
	/* Asked: memory has been mapped since the last look. */
	if (__atomic_exchange_n(&w->shared->asked_sp, 0, __ATOMIC_SEQ_CST)) {
		if (w->early)
			__atomic_fetch_add(&w->shared->ranges_turn, 2, __ATOMIC_SEQ_CST);
		else
			tell_ranges(w->shared);
		w->early -= !!w->early;
	}
	answer_name(w);
	return ring_drain(w->ring, UINT64_MAX, ring_head(w->ring), w->take, w->ctx);
}

static inline void *trace(void *arg)
{
	struct world *w = arg;

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE))
		if (__atomic_load_n(&w->stalled, __ATOMIC_ACQUIRE) || !look(w))
			usleep(200);
	return NULL;
}

static inline void world_init(struct world *w, bool blob)
{
	memset(w, 0, sizeof *w);
	w->shared = new_shared();
	w->ring = ring_new(w->shared);
	w->threads = threads_new(w->shared);
	assert_non_null(w->ring);
	assert_non_null(w->threads);
	pthread_mutex_init(&w->lock, NULL);
	if (blob)
		w->code = load_blob(w->shared);
	else
		enter_native(w->shared);
	w->shared->pads[0] = (struct agent_pads){ (uintptr_t)__start_agent_pads,
						  (uintptr_t)__stop_agent_pads,
						  (uintptr_t)&pads_active };
	w->shared->n_pads = 1;
	tell_ranges(w->shared);
	w->modules = tell_code(w->shared);
	pads_active = 1;
}

static inline void world_trace(struct world *w, ring_take *take, void *ctx)
{
	w->take = take;
	w->ctx = ctx;
	w->running = true;
	assert_int_equal(pthread_create(&w->tracer, NULL, trace, w), 0);
}

/* All threads have ended: take what is left. */
static inline void world_drain(struct world *w)
{
	if (w->running) {
		__atomic_store_n(&w->stop, true, __ATOMIC_RELEASE);
		pthread_join(w->tracer, NULL);
		w->running = false;
	}
	while (look(w))
		;
}

static inline void world_release(struct world *w)
{
	pads_active = 0;
	if (w->running)
		world_drain(w);
	ring_free(w->ring);
	threads_free(w->threads);
	if (w->code)
		munmap(w->code, (sizeof test_blob + 4095) & ~(size_t)4095);
	free_shared(w->shared);
	free(w->modules);
	pthread_mutex_destroy(&w->lock);
}

/* What the tracer does at a thread's birth. */
static inline uint32_t world_thread(struct world *w)
{
	uint32_t number;

	pthread_mutex_lock(&w->lock);
	number = threads_begin(w->threads, arch_thread_pointer(), (pid_t)syscall(SYS_gettid));
	pthread_mutex_unlock(&w->lock);
	return number;
}

#endif
