/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that the agent records for calls, in this process: natively and as a blob. */
#include "unit/unit.h"

#include "unit/agent_program.h"

#include "fast/blob.h"

#include <sys/resource.h>

#define P(x) ((void *)(uintptr_t)(x))

/* Run @f as a program's outermost function, so that chains are whole. */
static void run(void (*f)(void))
{
	as_outermost((void *(*)(void *))(uintptr_t)f, NULL);
}

static void assert_told(const struct told *t, enum agent_kind kind, uint64_t pointer, uint64_t size)
{
	assert_int_equal(t->r.kind, kind);
	assert_int_equal(t->r.pointer, pointer);
	assert_int_equal(t->r.size, size);
}

static bool has(const struct told *t, enum agent_word w)
{
	return t->r.words & 1u << w;
}

static void allocate_and_free(void)
{
	next_block = P(0x7f1234567891);
	pad_free(pad_malloc(77));
}

static void a_pair_is_two_records_with_size_block_and_return_address(void **state)
{
	struct program *p = *state;
	const struct told *t;

	run(allocate_and_free);
	t = take_told(p);
	assert_int_equal(p->n, 2);
	assert_told(&t[0], RECORD_ALLOC, 0x7f1234567891, 77);
	assert_told(&t[1], RECORD_FREE, 0x7f1234567891, 0);
	assert_int_equal(t[0].r.thread, p->thread);
	assert_int_equal(t[1].r.thread, p->thread);
	assert_int_equal(t[0].r.words, 0);
	assert_int_equal(t[1].r.function, 4);
	assert_in_range(t[1].r.ret, (uintptr_t)allocate_and_free,
			(uintptr_t)allocate_and_free + 128);
	assert_int_equal(ring_head(p->w.ring), 2);
	assert_int_equal(p->w.shared->threads[p->thread].depth, 0);
	assert_int_equal(p->w.shared->threads[p->thread].busy, 0);
}

static void what_a_record_cannot_hold_comes_in_words(void **state)
{
	struct program *p = *state;
	const struct told *t;

	next_block = P(UINT64_C(1) << 47);
	pad_malloc(UINT64_C(1) << 40);
	pad_free(P(UINT64_MAX));
	next_block = NULL;
	p->w.shared->flags = AGENT_WANT_ARGUMENTS | AGENT_WANT_SP;
	pad_calloc(UINT64_C(1) << 33, UINT64_C(1) << 33);
	pad_free(P(0x5000));
	next_block = P(RECORD_POINTER_MAX);
	p->w.shared->flags = 0;
	pad_calloc(3, 5);
	pad_malloc(RECORD_SIZE_MAX);
	pad_allocarray(4, 6);
	t = take_told(p);
	assert_int_equal(p->n, 7);
	assert_told(&t[0], RECORD_ALLOC, UINT64_C(1) << 47, UINT64_C(1) << 40);
	assert_told(&t[1], RECORD_FREE, UINT64_MAX, 0);
	assert_told(&t[2], RECORD_CALLOC, 0, UINT64_MAX);
	assert_int_equal(t[2].r.word[WORD_COUNT], UINT64_C(1) << 33);
	assert_int_equal(t[2].r.word[WORD_ELEM], UINT64_C(1) << 33);
	assert_in_range(t[2].r.word[WORD_SP], (uintptr_t)&t - 4096, (uintptr_t)&t + 4096);
	assert_told(&t[3], RECORD_FREE, 0x5000, 0);
	assert_in_range(t[3].r.word[WORD_SP], (uintptr_t)&t - 4096, (uintptr_t)&t + 4096);
	assert_told(&t[4], RECORD_CALLOC, RECORD_POINTER_MAX, 15);
	assert_false(has(&t[4], WORD_COUNT));
	assert_told(&t[5], RECORD_ALLOC, RECORD_POINTER_MAX, RECORD_SIZE_MAX);
	assert_false(has(&t[5], WORD_SIZE));
	assert_told(&t[6], RECORD_ALLOC, RECORD_POINTER_MAX, 24);
	assert_int_equal(ring_counts(p->w.ring).lost, 0);
}

static void a_realloc_is_told_at_both_ends(void **state)
{
	struct program *p = *state;
	const struct told *t;

	next_block = P(0x2000);
	pad_realloc(P(0x1000), 50);
	next_block = NULL;
	pad_reallocarray(P(0x3000), UINT64_C(1) << 63, 2);
	pad_realloc(NULL, 60);
	t = take_told(p);
	assert_int_equal(p->n, 5);
	assert_told(&t[0], RECORD_REALLOC_BEGIN, 0x1000, 0);
	assert_int_equal(t[0].r.function, 3);
	assert_told(&t[1], RECORD_REALLOC, 0x2000, 50);
	assert_int_equal(t[1].r.word[WORD_OLD], 0x1000);
	assert_false(has(&t[1], WORD_FUNCTION));
	assert_told(&t[2], RECORD_REALLOC_BEGIN, 0x3000, 0);
	assert_told(&t[3], RECORD_REALLOC, 0, UINT64_MAX);
	assert_int_equal(t[3].r.word[WORD_OLD], 0x3000);
	assert_int_equal(t[3].r.word[WORD_FUNCTION], 7);
	assert_told(&t[4], RECORD_REALLOC, 0, 60);
	assert_false(has(&t[4], WORD_OLD));
}

static void a_result_that_is_stored_is_the_block_and_a_failure_has_none(void **state)
{
	struct program *p = *state;
	void *out = P(0x666);
	const struct told *t;

	next_block = P(0x4000);
	assert_int_equal(pad_posix_memalign(&out, 64, 500), 0);
	assert_ptr_equal(out, P(0x4000));
	next_block = NULL;
	assert_int_equal(pad_posix_memalign(&out, 64, 600), 12);
	t = take_told(p);
	assert_int_equal(p->n, 2);
	assert_told(&t[0], RECORD_ALLOC, 0x4000, 500);
	assert_told(&t[1], RECORD_ALLOC, 0, 600);
}

/* ---- chains ---- */

#define LEVELS 6000
static uint64_t expected[LEVELS];
static size_t n_expected;

static void assert_chain(const struct program *p, uint32_t node)
{
	static uint64_t pc[LEVELS];
	uint64_t root;
	size_t n = chain_of(p->w.shared, node, pc, LEVELS, &root);

	assert_int_equal(root, ROOT_WHOLE);
	/* The function itself, those that called it, and as_outermost(). */
	assert_int_equal(n, n_expected + 1);
	for (size_t i = 0; i < n_expected; i++)
		assert_int_equal(pc[i + 1], expected[n_expected - 1 - i]);
}

static void allocate_and_look(void)
{
	const struct told *t;

	pad_malloc(n_expected);
	t = take_told(program);
	assert_int_equal(program->n, 1);
	assert_told(t, RECORD_ALLOC, 0x1000, n_expected);
	assert_int_equal(t->r.words, 0);
	assert_chain(program, t->r.node);
}

static uint32_t rnd;

static uint32_t below(uint32_t n)
{
	rnd = rnd * 1664525u + 1013904223u;
	return (rnd >> 8) % n;
}

static NOINLINE void wander_a(int deep);
static NOINLINE void wander_b(int deep);

#define COME expected[n_expected++] = (uint64_t)(uintptr_t)__builtin_return_address(0)
#define GO n_expected--

static NOINLINE void allocate_here(void)
{
	COME;
	allocate_and_look();
	GO;
}

static NOINLINE void wander_a(int deep)
{
	COME;
	if (below(2))
		allocate_here();
	for (uint32_t i = below(3); i && deep; i--)
		wander_b(deep - 1);
	if (deep && below(2))
		wander_a(deep - 1);
	GO;
}

static NOINLINE void wander_b(int deep)
{
	volatile char room[200]; /* frames of different sizes */

	COME;
	room[below(200)] = 1;
	(void)room[0];
	allocate_here();
	if (deep && below(3))
		wander_a(deep - 1);
	if (deep && below(3))
		wander_b(deep - 1);
	GO;
}

/* In allocate_and_look() the pad's caller is that function: it is the chain's first pc. */
static void wander_about(void)
{
	COME;
	for (int i = 0; i < 40; i++)
		wander_a(9);
	GO;
}

static void every_chain_of_a_program_that_wanders_about_is_the_true_one(void **state)
{
	(void)state;
	rnd = 4711;
	n_expected = 0;
	run(wander_about);
}

static NOINLINE void go_down(int deep)
{
	COME;
	if (deep == 0 || deep == 60 || deep == 200 || deep == 500)
		allocate_here();
	if (deep)
		go_down(deep - 1);
	if (deep == 200)
		allocate_here();
	GO;
}

static void go_deep_down(void)
{
	COME;
	go_down(5000);
	go_down(100);
	go_down(400);
	GO;
}

static void chains_that_are_longer_than_what_is_remembered_are_right(void **state)
{
	struct program *p = *state;

	n_expected = 0;
	run(go_deep_down);
	assert_int_equal((uint32_t)p->w.shared->deep_taken, 0);
}

static NOINLINE void allocate_down(uint64_t deep)
{
	if (deep)
		allocate_down(deep - 1);
	else
		pad_malloc(1);
	__asm__ volatile("");
}

static void allocate_far_down(void)
{
	allocate_down(300);
}

/* Record 7 has the room for deep chains, as of this turn. */
static void let_have_deep(struct agent_shared *s, uint64_t turn)
{
	__atomic_store_n(&s->deep_taken, turn << 32 | 8, __ATOMIC_SEQ_CST);
}

static void assert_unwound_by_tracer(struct program *p)
{
	const struct told *t = take_told(p);

	assert_int_equal(p->n, 1);
	assert_int_equal(t->r.node, 0);
	assert_true(has(t, WORD_STACK));
}

static void if_who_has_the_room_for_deep_chains_has_gone_the_tracer_unwinds(void **state)
{
	struct program *p = *state;
	struct agent_shared *s = p->w.shared;
	uint64_t once;

	let_have_deep(s, 1);
	run(allocate_far_down);
	assert_unwound_by_tracer(p);
	let_have_deep(s, 2);
	s->threads[7].busy = 1;
	once = now_ns();
	run(allocate_far_down);
	once = now_ns() - once;
	assert_unwound_by_tracer(p);
	assert_int_equal(s->deep_left, s->deep_taken);
	/* Once for all: otherwise this would take a hundred times as long. */
	uint64_t begun = now_ns();
	for (int i = 0; i < 100; i++) {
		run(allocate_far_down);
		assert_unwound_by_tracer(p);
	}
	assert_true(now_ns() - begun < 50 * once);
	assert_int_equal((uint32_t)s->deep_taken, 8);
}

static void who_has_interrupted_the_walk_of_a_deep_chain_does_not_wait_for_it(void **state)
{
	struct program *p = *state;
	struct agent_shared *s = p->w.shared;

	let_have_deep(s, 1);
	s->threads[7].busy = arch_thread_pointer() + 1;
	run(allocate_far_down);
	assert_unwound_by_tracer(p);
	/* Others may. */
	assert_int_equal(s->deep_left, 0);
}

static void *walk_one_after_the_other(void *arg)
{
	uint64_t end = now_ns() + UINT64_C(3000000000), turn;

	for (turn = 2; now_ns() < end; turn++) {
		let_have_deep(arg, turn);
		usleep(1000);
	}
	agent_deep_give_back(arg, 7);
	return NULL;
}

static void who_needs_the_room_for_deep_chains_waits_while_others_come_and_go(void **state)
{
	struct program *p = *state;
	const struct told *t;
	pthread_t thread;

	p->w.shared->threads[7].busy = 1;
	let_have_deep(p->w.shared, 1);
	assert_int_equal(pthread_create(&thread, NULL, walk_one_after_the_other, p->w.shared), 0);
	run(allocate_far_down);
	pthread_join(thread, NULL);
	t = take_told(p);
	assert_int_equal(p->n, 1);
	assert_int_not_equal(t->r.node, 0);
	assert_false(has(t, WORD_STACK));
}

static void chains_that_are_too_deep_have_their_inner_frames(void **state)
{
	struct program *p = *state;
	static uint64_t pc[AGENT_DEPTH];
	const struct told *t;
	uint64_t root;

	/* There is room for it: what is mapped begins farther below. */
	const struct rlimit large = { STACK_ROOM, STACK_ROOM };
	assert_int_equal(setrlimit(RLIMIT_STACK, &large), 0);
	as_outermost((void *(*)(void *))(uintptr_t)allocate_down, P(AGENT_DEPTH + 10));
	t = take_told(p);
	assert_int_equal(p->n, 1);
	assert_int_equal(chain_of(p->w.shared, t->r.node, pc, AGENT_DEPTH, &root), AGENT_DEPTH - 1);
	assert_int_equal(root, ROOT_TOO_DEEP);
	for (int i = 2; i < AGENT_DEPTH - 1; i++)
		assert_int_equal(pc[i], pc[1]);
}

static void allocate_once(void)
{
	pad_malloc(1);
}

static void another_epoch_has_other_nodes(void **state)
{
	struct program *p = *state;
	const struct agent_shared *s = p->w.shared;
	const struct told *t;
	uint32_t a, b;

	for (int i = 0; i < 2; i++) {
		run(allocate_once);
		p->w.shared->epoch++;
	}
	t = take_told(p);
	assert_int_equal(p->n, 2);
	a = t[0].r.node;
	b = t[1].r.node;
	assert_int_equal(s->nodes[a].pc, s->nodes[b].pc);
	assert_int_not_equal(a, b);
	while (s->nodes[a].parent && s->nodes[b].parent) {
		a = s->nodes[a].parent;
		b = s->nodes[b].parent;
		assert_int_not_equal(a, b);
	}
	assert_int_equal(s->nodes[a].epoch, 0);
	assert_int_equal(s->nodes[b].epoch, 1);
}

static void a_full_table_of_nodes_means_copies_of_stacks(void **state)
{
	struct program *p = *state;
	const struct told *t;

	p->w.shared->n_nodes = AGENT_NODES - 1;
	run(allocate_and_free);
	t = take_told(p);
	assert_int_equal(p->n, 2);
	assert_int_equal(t[0].r.node, 0);
	assert_true(has(&t[0], WORD_STACK));
	assert_int_equal(p->w.shared->n_nodes, AGENT_NODES - 1);
}

/* ---- nested calls ---- */

static void allocate_inside(void)
{
	meanwhile = NULL;
	pad_malloc(1);
	pad_free(P(1));
	pad_free_call(P(2));
	pad_realloc(P(3), 4);
}

static void resize_with_calls_inside(void)
{
	meanwhile = allocate_inside;
	pad_realloc(P(0x1000), 10);
	meanwhile = allocate_inside;
	pad_free_call(P(0x5000));
	pad_malloc(20);
}

static void what_an_allocator_calls_itself_is_not_recorded(void **state)
{
	struct program *p = *state;
	const struct told *t;

	run(resize_with_calls_inside);
	t = take_told(p);
	assert_int_equal(p->n, 4);
	assert_told(&t[0], RECORD_REALLOC_BEGIN, 0x1000, 0);
	assert_told(&t[1], RECORD_REALLOC, 0x1000, 10);
	assert_told(&t[2], RECORD_FREE, 0x5000, 0);
	assert_told(&t[3], RECORD_ALLOC, 0x1000, 20);
	assert_int_equal(p->w.shared->threads[p->thread].depth, 0);
}

static void handle(int sig)
{
	void *block = next_block;

	(void)sig;
	next_block = P(0x9000);
	pad_malloc(9);
	pad_free(P(0x9000));
	next_block = block;
}

static void raise_inside(void)
{
	meanwhile = NULL;
	raise(SIGUSR1);
	pad_malloc(8);
}

static void allocate_with_a_signal_inside(void)
{
	struct sigaction sa = { .sa_handler = handle }, old;

	sigaction(SIGUSR1, &sa, &old);
	meanwhile = raise_inside;
	pad_malloc(7);
	sigaction(SIGUSR1, &old, NULL);
}

/* The C library's raise() keeps no frame pointer, so the frames outside of it cannot be found: the
 * handler's come first, which is all that matters. */
static void what_a_signal_handler_calls_inside_of_an_allocator_counts(void **state)
{
	struct program *p = *state;
	const struct told *t;

	run(allocate_with_a_signal_inside);
	t = take_told(p);
	assert_int_equal(p->n, 3);
	assert_told(&t[0], RECORD_ALLOC, 0x9000, 9);
	assert_false(has(&t[0], WORD_JUDGE));
	assert_told(&t[1], RECORD_FREE, 0x9000, 0);
	assert_false(has(&t[1], WORD_JUDGE));
	assert_told(&t[2], RECORD_ALLOC, 0x1000, 7);
}

/* A signal that comes in the middle of a function that has a frame pointer: the chain is whole. */
static NOINLINE void signal_inside(void)
{
	long nr = SYS_tgkill;

	meanwhile = NULL;
	__asm__ volatile("syscall"
			 : "+a"(nr)
			 : "D"(getpid()), "S"(syscall(SYS_gettid)), "d"(SIGUSR1)
			 : "rcx", "r11", "memory");
}

static void allocate_with_a_whole_chain_of_a_signal(void)
{
	struct sigaction sa = { .sa_handler = handle }, old;

	sigaction(SIGUSR1, &sa, &old);
	meanwhile = signal_inside;
	pad_malloc(7);
	sigaction(SIGUSR1, &old, NULL);
}

static void a_handler_s_chain_has_what_it_interrupted_and_no_pads(void **state)
{
	struct program *p = *state;
	const struct told *t;
	uint64_t pc[64], root;
	size_t n, exact = 0, outer = 0;

	run(allocate_with_a_whole_chain_of_a_signal);
	t = take_told(p);
	assert_int_equal(p->n, 3);
	assert_told(&t[0], RECORD_ALLOC, 0x9000, 9);
	assert_false(has(&t[0], WORD_STACK));
	n = chain_of(p->w.shared, t[0].r.node, pc, 64, &root);
	assert_int_equal(root, ROOT_WHOLE);
	assert_in_range(n, 5, 64);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = pc[i] & NODE_PC_MASK;

		assert_false(at >= p->w.shared->pads[0].lo && at < p->w.shared->pads[0].hi);
		exact += pc[i] & NODE_EXACT && at - (uintptr_t)signal_inside < 256;
		outer += at - (uintptr_t)allocate_with_a_whole_chain_of_a_signal < 512;
	}
	assert_int_equal(exact, 1);
	assert_int_equal(outer, 1);
}

/* As a handler leaves things that has interrupted the agent and never came back. */
static void leave_behind(struct agent_shared *s, uint32_t number, uint64_t sp, uint32_t stack)
{
	s->threads[number].busy = arch_thread_pointer() + 1;
	s->threads[number].busy_sp = sp;
	s->threads[number].stack = stack + 1;
	s->stacks[stack].claim = number + 1;
	s->deep_taken = number + 1;
}

static void what_was_left_on_this_stack_is_given_back_and_nothing_else(void **state)
{
	struct program *p = *state;
	struct agent_shared *s = p->w.shared;
	uint64_t below = (uintptr_t)&p - 65536;

	leave_behind(s, 3, below, 6);
	leave_behind(s, 5, (uintptr_t)s, 8); /* elsewhere: a coroutine's, it may come back */
	leave_behind(s, p->thread, below, 7);
	s->threads[4].busy = 1;			      /* somebody else's */
	s->threads[4].busy_sp = below;
	s->stacks[7].claim = 77;		      /* it had not got that yet */
	run(allocate_and_free);
	assert_int_equal(s->threads[p->thread].busy, 0);
	assert_int_equal(s->threads[3].busy, 0);
	assert_int_equal(s->threads[4].busy, 1);
	assert_int_not_equal(s->threads[5].busy, 0);
	assert_int_equal(claim_owner(s->stacks[6].claim), 0);
	assert_int_equal(claim_owner(s->stacks[7].claim), 77);
	assert_int_equal(claim_owner(s->stacks[8].claim), 6);
	assert_int_equal((uint32_t)s->deep_taken, 0);
	take_told(p);
	assert_int_equal(p->n, 2);
	run(allocate_and_free);
	take_told(p);
	assert_int_equal(p->n, 2);
	assert_int_equal(p->told[0].r.thread, p->thread);
}

static jmp_buf out;

static void leave(void)
{
	meanwhile = NULL;
	_longjmp(out, 1);
}

static void leave_by_longjmp(void)
{
	if (!_setjmp(out)) {
		meanwhile = leave;
		pad_malloc(1);
	}
	assert_int_equal(program->w.shared->threads[program->thread].depth, 1);
	pad_malloc(2);
	assert_int_equal(program->w.shared->threads[program->thread].depth, 0);
	if (!_setjmp(out)) {
		meanwhile = leave;
		pad_realloc(P(3), 3);
	}
	pad_free(P(4));
	assert_int_equal(program->w.shared->threads[program->thread].depth, 0);
}

static void leave_and_come_back(void)
{
	if (!_setjmp(out)) {
		meanwhile = leave;
		pad_malloc(1);
	}
	pad_malloc(2);
}

static void a_call_that_is_left_by_longjmp_hides_no_later_one(void **state)
{
	struct program *p = *state;
	const struct told *t;

	run(leave_by_longjmp);
	t = take_told(p);
	assert_int_equal(p->n, 3);
	assert_told(&t[0], RECORD_ALLOC, 0x1000, 2);
	assert_told(&t[1], RECORD_REALLOC_BEGIN, 3, 0);
	assert_told(&t[2], RECORD_FREE, 4, 0);
}

/* ---- threads ---- */

static void *stranger(void *arg)
{
	(void)arg;
	next_block = P(0x1000);
	*(uint64_t *)arg = arch_thread_pointer();
	run(resize_with_calls_inside);
	run(allocate_and_free);
	return NULL;
}

static void calls_of_a_thread_that_nobody_has_entered_count_under_its_pointer(void **state)
{
	struct program *p = *state;
	const struct told *t;
	uint64_t pointer;
	pthread_t thread;

	p->w.nobody = true;
	assert_int_equal(pthread_create(&thread, NULL, stranger, &pointer), 0);
	/* The range of its stack is asked for, too. */
	world_trace(&p->w, note, p);
	pthread_join(thread, NULL);
	world_drain(&p->w);
	t = p->told;
	assert_int_equal(p->n, 6);
	assert_told(&t[1], RECORD_REALLOC, 0x1000, 10);
	assert_told(&t[3], RECORD_ALLOC, 0x1000, 20);
	assert_told(&t[5], RECORD_FREE, 0x7f1234567891, 0);
	for (int i = 0; i < 6; i++) {
		assert_in_range(t[i].r.thread, 0, AGENT_SPARES - 1);
		assert_int_equal(t[i].r.word[WORD_THREAD], pointer);
	}
	for (int i = 0; i < AGENT_THREADS; i++)
		assert_int_equal(p->w.shared->threads[i].busy, 0);
}

static void a_thread_that_nobody_has_entered_waits_until_it_is_known(void **state)
{
	struct program *p = *state;
	uint32_t number;
	uint64_t pointer;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, stranger, &pointer), 0);
	WAIT_UNTIL(__atomic_load_n(&p->w.shared->nameless, __ATOMIC_ACQUIRE));
	assert_int_equal(p->w.shared->nameless, pointer + 1);
	/* Whoever looks after the tracer sees that somebody waits for it. */
	WAIT_UNTIL(__atomic_load_n(&p->w.shared->waiting[AGENT_NO_THREAD], __ATOMIC_ACQUIRE));
	world_trace(&p->w, note, p);
	pthread_join(thread, NULL);
	world_drain(&p->w);
	assert_int_equal(p->w.shared->nameless, 0);
	assert_int_equal(p->w.shared->waiting[AGENT_NO_THREAD], 0);
	number = threads_find(p->w.threads, pointer);
	assert_in_range(number, AGENT_SPARES, AGENT_THREADS - 1);
	assert_int_equal(p->n, 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(p->told[i].r.thread, number);
}

static void *asker(void *arg)
{
	next_block = P(0x1000);
	run(allocate_and_free);
	*(uint64_t *)arg = arch_thread_pointer();
	return NULL;
}

static void many_may_wait_to_be_known_at_once(void **state)
{
	enum { N = 24 };
	struct program *p = *state;
	uint64_t pointer[N];
	pthread_t thread[N];

	for (int i = 0; i < N; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, asker, &pointer[i]), 0);
	world_trace(&p->w, note, p);
	for (int i = 0; i < N; i++)
		pthread_join(thread[i], NULL);
	world_drain(&p->w);
	for (int i = 0; i < N; i++)
		assert_int_not_equal(threads_find(p->w.threads, pointer[i]), AGENT_NO_THREAD);
	for (unsigned i = 0; i < p->n; i++)
		assert_in_range(p->told[i].r.thread, AGENT_SPARES, AGENT_THREADS - 1);
}

static void without_a_tracer_nobody_waits_to_be_known(void **state)
{
	struct program *p = *state;
	uint64_t pointer;
	pthread_t thread;

	__atomic_store_n(&p->w.shared->owner, AGENT_OWNER_DIED, __ATOMIC_RELEASE);
	assert_int_equal(pthread_create(&thread, NULL, asker, &pointer), 0);
	pthread_join(thread, NULL);
	assert_int_equal(are_pads_active(), 0);
}

static void *newcomer(void *arg)
{
	world_thread(arg);
	run(allocate_and_free);
	return NULL;
}

static void a_stack_that_the_first_answer_does_not_know_is_asked_for_again(void **state)
{
	struct program *p = *state;
	const size_t size = 256 << 10;
	uint64_t pc[16], root;
	pthread_attr_t attr;
	pthread_t thread;
	/* Not one that an earlier thread has had. */
	void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(stack, MAP_FAILED);
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstack(&attr, stack, size), 0);
	p->w.early = 1;
	assert_int_equal(pthread_create(&thread, &attr, newcomer, &p->w), 0);
	world_trace(&p->w, note, p);
	pthread_join(thread, NULL);
	world_drain(&p->w);
	assert_int_equal(p->n, 2);
	chain_of(p->w.shared, p->told[0].r.node, pc, 16, &root);
	assert_int_equal(root, ROOT_WHOLE);
	assert_int_equal(p->w.early, 0);
	pthread_attr_destroy(&attr);
	munmap(stack, size);
}

static void without_a_spare_record_what_fits_is_told_and_the_rest_counted(void **state)
{
	struct program *p = *state;
	struct agent_shared *s = p->w.shared;
	const struct told *t;
	uint64_t root;

	for (int i = 0; i < AGENT_SPARES; i++)
		s->threads[i].busy = 1;
	s->threads[p->thread].busy = 1;
	run(allocate_and_free);
	pad_realloc(P(1), 2);
	t = take_told(p);
	assert_int_equal(p->n, 3);
	assert_told(&t[0], RECORD_ALLOC, 0x7f1234567891, 77);
	assert_int_equal(chain_of(s, t[0].r.node, NULL, 0, &root), 0);
	assert_int_equal(root, ROOT_TOO_DEEP);
	assert_told(&t[1], RECORD_FREE, 0x7f1234567891, 0);
	assert_told(&t[2], RECORD_REALLOC_BEGIN, 1, 0);
	assert_int_equal(s->uncounted, 1);
}

/* ---- copies of stacks ---- */

static void allocate_with_a_mark(void)
{
	volatile uint64_t mark = UINT64_C(0x1234567890abcdef);

	pad_malloc(1);
	mark++;
}

static void a_copy_of_the_stack_is_what_the_caller_had(void **state)
{
	struct program *p = *state;
	const struct told *t;
	uint64_t root, pc[8];
	bool found = false;

	p->w.shared->flags = AGENT_WANT_STACKS;
	run(allocate_with_a_mark);
	t = take_told(p);
	assert_int_equal(p->n, 1);
	assert_true(has(t, WORD_STACK));
	assert_ptr_not_equal(t->r.stack, NULL);
	chain_of(p->w.shared, t->r.node, pc, 8, &root);
	assert_int_equal(t->stack.pc, pc[0]);
	for (uint32_t i = 0; i < 16; i++)
		found |= t->stack.word[i] == UINT64_C(0x1234567890abcdef);
	assert_true(found);
	assert_int_equal(t->stack.word[(t->stack.fp + 8 - t->stack.sp) / 8], pc[1]);
	for (int i = 0; i < AGENT_STACKS; i++)
		assert_int_equal(claim_owner(p->w.shared->stacks[i].claim), 0);
}

static void *allocate_many(void *arg)
{
	world_thread(arg);
	next_block = P(0x1000);
	for (int i = 0; i < 3000; i++)
		pad_malloc(1);
	return NULL;
}

/* The tracer answers who asks for the range of his stack, and reads nothing. */
static bool all_copies_are_taken(struct agent_shared *s)
{
	int taken = 0;

	if (__atomic_exchange_n(&s->asked_sp, 0, __ATOMIC_SEQ_CST))
		tell_ranges(s);
	for (int i = 0; i < AGENT_STACKS; i++)
		taken += claim_owner(__atomic_load_n(&s->stacks[i].claim, __ATOMIC_SEQ_CST)) != 0;
	return taken == AGENT_STACKS;
}

static void who_finds_no_room_for_a_copy_waits(void **state)
{
	struct program *p = *state;
	uint32_t waiting[4];
	pthread_t t[4];

	p->w.shared->flags = AGENT_WANT_STACKS;
	tell_ranges(p->w.shared);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, allocate_many, &p->w), 0);
	WAIT_UNTIL(all_copies_are_taken(p->w.shared));
	WAIT_UNTIL(ring_waiting(p->w.ring, waiting, 4) == 4);
	assert_int_equal(p->n, 0);
	world_trace(&p->w, note, p);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	world_drain(&p->w);
	assert_int_equal(p->n, 4 * 3000);
}

#define PRODUCT_SIZE ((agent_blob_size + 4095) & ~(size_t)4095)

/* The agent of the product, which knows no rows: everything is left to the tracer, and nothing
 * is guessed. */
static void *without_rows(struct program *p)
{
	uint8_t *code = mmap(NULL, PRODUCT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct agent_head *head = (struct agent_head *)code;

	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, agent_blob, agent_blob_size);
	head->shared = (uintptr_t)p->w.shared;
	entry_begin = code + head->begin;
	entry_enter = code + head->enter;
	entry_end = code + head->end;
	entry_free = code + head->free;
	p->w.shared->modules = 0;
	return code;
}

static void without_rows_a_call_that_was_left_is_not_pending(void **state)
{
	struct program *p = *state;
	void *code = without_rows(p);
	const struct told *t;

	run(leave_and_come_back);
	t = take_told(p);
	assert_int_equal(p->n, 1);
	assert_told(&t[0], RECORD_ALLOC, 0x1000, 2);
	assert_true(has(&t[0], WORD_JUDGE));
	assert_false(t[0].r.word[WORD_JUDGE] & SEEN_PENDING);
	pads_active = 0;
	munmap(code, PRODUCT_SIZE);
}

static void without_rows_every_event_has_a_stack_and_what_may_be_nested_says_so(void **state)
{
	struct program *p = *state;
	void *code = without_rows(p);
	const struct told *t;

	run(resize_with_calls_inside);
	t = take_told(p);
	/* malloc, free, free, and both ends of a realloc inside of each of two calls; and those
	 * themselves. */
	assert_int_equal(p->n, 4 + 2 * 5);
	assert_told(&t[0], RECORD_REALLOC_BEGIN, 0x1000, 0);
	assert_false(has(&t[0], WORD_JUDGE));
	for (int i = 1; i <= 5; i++) {
		assert_true(has(&t[i], WORD_JUDGE));
		assert_true(has(&t[i], WORD_STACK));
		/* What the stack would tell the pad's return address does. */
		assert_true(t[i].r.word[WORD_JUDGE] & SEEN_PENDING);
	}
	assert_told(&t[6], RECORD_REALLOC, 0x1000, 10);
	assert_false(has(&t[6], WORD_JUDGE));
	assert_true(has(&t[6], WORD_STACK));
	assert_int_equal(p->w.shared->n_nodes, 0);
	pads_active = 0;
	munmap(code, PRODUCT_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(a_pair_is_two_records_with_size_block_and_return_address),
		BOTH(what_a_record_cannot_hold_comes_in_words),
		BOTH(a_realloc_is_told_at_both_ends),
		BOTH(a_result_that_is_stored_is_the_block_and_a_failure_has_none),
		BOTH(every_chain_of_a_program_that_wanders_about_is_the_true_one),
		BOTH(chains_that_are_longer_than_what_is_remembered_are_right),
		BOTH(if_who_has_the_room_for_deep_chains_has_gone_the_tracer_unwinds),
		BOTH(who_has_interrupted_the_walk_of_a_deep_chain_does_not_wait_for_it),
		BOTH(who_needs_the_room_for_deep_chains_waits_while_others_come_and_go),
		BOTH(chains_that_are_too_deep_have_their_inner_frames),
		BOTH(another_epoch_has_other_nodes),
		BOTH(a_full_table_of_nodes_means_copies_of_stacks),
		BOTH(what_an_allocator_calls_itself_is_not_recorded),
		BOTH(what_a_signal_handler_calls_inside_of_an_allocator_counts),
		BOTH(a_handler_s_chain_has_what_it_interrupted_and_no_pads),
		BOTH(what_was_left_on_this_stack_is_given_back_and_nothing_else),
		BOTH(a_call_that_is_left_by_longjmp_hides_no_later_one),
		BOTH(calls_of_a_thread_that_nobody_has_entered_count_under_its_pointer),
		BOTH(a_thread_that_nobody_has_entered_waits_until_it_is_known),
		BOTH(many_may_wait_to_be_known_at_once),
		BOTH(without_a_tracer_nobody_waits_to_be_known),
		BOTH(a_stack_that_the_first_answer_does_not_know_is_asked_for_again),
		BOTH(without_a_spare_record_what_fits_is_told_and_the_rest_counted),
		BOTH(a_copy_of_the_stack_is_what_the_caller_had),
		BOTH(who_finds_no_room_for_a_copy_waits),
		BOTH(without_rows_a_call_that_was_left_is_not_pending),
		BOTH(without_rows_every_event_has_a_stack_and_what_may_be_nested_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
