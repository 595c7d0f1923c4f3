/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal handlers that interrupt the agent anywhere, allocate, and may never return.
 * PAIRS=n: longer. */
#include "unit/unit.h"

#include "unit/agent_program.h"

#include <ucontext.h>

enum { WORKERS = 2, BLOCK_BITS = 24 };

static uint32_t pairs = 200000;

struct worker {
	struct program *p;
	uint32_t index, number;
	bool on_stack, leaves;	/* the handler has a stack of its own; it may longjmp */
	uint8_t *done;		/* pair i was carried through */
	uint8_t *allocs, *frees; /* what has been told of it */
	uint64_t handled;	/* pairs of the handler */
	bool running;
	sigjmp_buf again;
};

struct storm {
	struct program *p;
	struct worker workers[WORKERS];
	uint64_t handler_allocs[WORKERS], handler_frees[WORKERS], wrong, stacks, chains;
};

static _Thread_local struct worker *me;

/* A block's address says whose it is: worker's number, of the handler or not, and which. */
static void *block(uint32_t worker, bool handler, uint64_t i)
{
	return (void *)(uintptr_t)((uint64_t)(worker * 2 + handler + 1) << BLOCK_BITS | i);
}

static void count(void *ctx, const struct ring_record *r)
{
	struct storm *s = ctx;
	uint64_t who = (r->pointer >> BLOCK_BITS) - 1, i = r->pointer & ((1u << BLOCK_BITS) - 1);
	struct worker *w = &s->workers[who / 2];

	if (who >= WORKERS * 2 || (r->kind != RECORD_ALLOC && r->kind != RECORD_FREE)) {
		s->wrong++;
		return;
	}
	if (r->words & 1u << WORD_STACK)
		s->stacks++;
	else if (r->kind == RECORD_ALLOC)
		s->chains++;
	if (r->thread != w->number && r->thread >= AGENT_SPARES)
		s->wrong++;
	if (who % 2) {
		s->handler_allocs[who / 2] += r->kind == RECORD_ALLOC && r->size == 1000;
		s->handler_frees[who / 2] += r->kind == RECORD_FREE;
	} else if (i < pairs) {
		w->allocs[i] += r->kind == RECORD_ALLOC && r->size == i;
		w->frees[i] += r->kind == RECORD_FREE;
	} else {
		s->wrong++;
	}
}

static void interrupt(int sig)
{
	void *was = next_block;

	(void)sig;
	if (!me)
		return;
	next_block = block(me->index, true, me->handled % (1u << BLOCK_BITS));
	pad_malloc(1000);
	pad_free(next_block);
	me->handled++;
	next_block = was;
	if (me->leaves && me->handled % 3 == 0 && me->running)
		siglongjmp(me->again, 1);
}

static NOINLINE void one_pair(uint32_t i)
{
	next_block = block(me->index, false, i);
	pad_malloc(i);
	pad_free(next_block);
	me->done[i] = 1;
}

static volatile uint32_t at[WORKERS];

static void *work_outermost(void *arg)
{
	struct worker *w = arg;

	if (sigsetjmp(w->again, 1))
		at[w->index]++;	/* what was interrupted, if not done, is left alone */
	w->running = true;
	for (; at[w->index] < pairs; at[w->index]++)
		one_pair(at[w->index]);
	w->running = false;
	return NULL;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	stack_t alternate = { .ss_size = 65536 };
	struct itimerspec often = { { 0, 29000 }, { 0, 29000 } };
	struct sigevent event;
	timer_t timer;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	w->number = world_thread(&w->p->w);
	if (w->on_stack) {
		alternate.ss_sp = mmap(NULL, alternate.ss_size, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sigaltstack(&alternate, NULL);
	}
	me = w;
	/* A timer interrupts the processor that the thread is on: anywhere. */
	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime(timer, 0, &often, NULL);
	as_outermost(work_outermost, w);
	timer_delete(timer);
	/* In peace: what was left behind is found and given back by the first of these. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	next_block = block(w->index, true, 0);
	for (int i = 0; i < 2; i++) {
		as_outermost((void *(*)(void *))(uintptr_t)pad_malloc, (void *)1000);
		pad_free(next_block);
		w->handled++;
	}
	return NULL;
}

static void check(const struct storm *s)
{
	const struct agent_shared *shared = s->p->w.shared;
	uint64_t left = 0;

	assert_int_equal(s->wrong, 0);
	assert_int_equal(ring_counts(s->p->w.ring).lost, 0);
	assert_int_equal(shared->uncounted, 0);
	for (int i = 0; i < WORKERS; i++) {
		const struct worker *w = &s->workers[i];

		assert_int_equal(s->handler_allocs[i], w->handled);
		assert_int_equal(s->handler_frees[i], w->handled);
		for (uint32_t k = 0; k < pairs; k++) {
			assert_in_range(w->allocs[k], w->done[k], 1);
			assert_in_range(w->frees[k], w->done[k], 1);
			left += !w->done[k];
		}
		assert_int_equal(shared->threads[w->number].depth, 0);
	}
	for (int i = 0; i < AGENT_THREADS; i++)
		assert_int_equal(shared->threads[i].busy, 0);
	for (int i = 0; i < AGENT_STACKS; i++)
		assert_int_equal(claim_owner(shared->stacks[i].claim), 0);
	print_message(
		"# %llu handlers, %llu pairs left by longjmp, %llu copies of stacks, %llu chains\n",
		(unsigned long long)(s->workers[0].handled + s->workers[1].handled),
		(unsigned long long)left, (unsigned long long)s->stacks,
		(unsigned long long)s->chains);
	assert_true(s->chains > pairs);
	if (!s->workers[0].leaves)
		assert_int_equal(left, 0);
	else
		assert_int_not_equal(left, 0);
}

extern const char __start_agent_faults[], __stop_agent_faults[];

/* Goes on behind an instruction of these, if it is one. */
static bool goes_on_behind(const char *faults, const char *end, ucontext_t *c)
{
	greg_t *pc = &c->uc_mcontext.gregs[REG_RIP];

	for (const char *at = faults; at < end; at += sizeof(struct arch_fault)) {
		const struct arch_fault *f = (const struct arch_fault *)at;

		if ((greg_t)(uintptr_t)at + f->insn != *pc)
			continue;
		*pc = (greg_t)(uintptr_t)&f->behind + f->behind;
		return true;
	}
	return false;
}

/* As the tracer does it: what a stack lies beside may be unmapped at any time. */
static void pass_foreseen(int sig, siginfo_t *info, void *context)
{
	const char *code = program->w.code;
	const struct agent_head *head = program->w.code;

	(void)info;
	if (goes_on_behind(__start_agent_faults, __stop_agent_faults, context) ||
	    (code && goes_on_behind(code + head->faults, code + head->faults_end, context)))
		return;
	/* It comes again. */
	signal(sig, SIG_DFL);
}

static void storm(struct program *p, bool on_stack, bool leaves)
{
	struct sigaction pass = {.sa_sigaction = pass_foreseen, .sa_flags = SA_SIGINFO}, was;
	struct storm *s = calloc(1, sizeof *s);
	struct sigaction sa = {.sa_handler = interrupt,
			       .sa_flags = SA_RESTART | (on_stack ? SA_ONSTACK : 0)};
	struct sigaction old;
	pthread_t t[WORKERS];

	assert_non_null(s);
	s->p = p;
	sigaction(SIGUSR1, &sa, &old);
	sigaction(SIGSEGV, &pass, &was);
	world_trace(&p->w, count, s);
	for (uint32_t i = 0; i < WORKERS; i++) {
		struct worker *w = &s->workers[i];

		*w = (struct worker){ .p = p, .index = i, .on_stack = on_stack, .leaves = leaves,
				      .done = calloc(pairs, 1), .allocs = calloc(pairs, 1),
				      .frees = calloc(pairs, 1) };
		at[i] = 0;
		assert_int_equal(pthread_create(&t[i], NULL, work, w), 0);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(t[i], NULL);
		threads_end(p->w.threads, s->workers[i].number, ring_head(p->w.ring));
	}
	world_drain(&p->w);
	sigaction(SIGUSR1, &old, NULL);
	sigaction(SIGSEGV, &was, NULL);
	check(s);
	for (int i = 0; i < WORKERS; i++) {
		free(s->workers[i].done);
		free(s->workers[i].allocs);
		free(s->workers[i].frees);
	}
	free(s);
}

static void what_handlers_allocate_and_what_they_interrupt_is_counted_exactly(void **state)
{
	storm(*state, false, false);
}

static void handlers_with_a_stack_of_their_own_are_counted_exactly(void **state)
{
	storm(*state, true, false);
}

static void handlers_that_longjmp_out_of_the_agent_leave_nothing_behind(void **state)
{
	storm(*state, false, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(what_handlers_allocate_and_what_they_interrupt_is_counted_exactly),
		BOTH(handlers_with_a_stack_of_their_own_are_counted_exactly),
		BOTH(handlers_that_longjmp_out_of_the_agent_leave_nothing_behind),
	};

	if (getenv("PAIRS"))
		pairs = (uint32_t)strtoul(getenv("PAIRS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
