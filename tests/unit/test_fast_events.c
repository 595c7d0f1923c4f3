/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of the ring, and the events made of them. */
#include "unit/unit.h"

#include "fast/events.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MALLOC, CALLOC, REALLOC, FREE, FUNCTIONS, EVENTS_MAX = 16 };

struct world {
	struct agent_shared *shared;
	struct nodes *nodes;
	struct threads *threads;
	struct engine_host host;
	struct probe probes[FUNCTIONS];
	struct engine_function functions[FUNCTIONS];
	struct events v;
	uint32_t thread;	/* number of task 71 */

	/* what the host is told, and says */
	struct alloc_event told[EVENTS_MAX];
	size_t n;
	bool own_free;
	size_t asked_who_frees;
	struct alloc_expected expected[8];
	unsigned n_expected;
	bool wants_more;
	bool nested;
	enum alloc_label label;
	struct engine_call judged;
	taddr judged_sp;
	int no_unwinding;
	enum chain_end copy_ends;
	size_t checked, wrong;
};

static int host_event(void *ctx, struct alloc_event *e)
{
	struct world *w = ctx;

	assert_true(w->n < EVENTS_MAX);
	w->told[w->n++] = *e;
	return 0;
}

static bool host_expect(void *ctx, const struct alloc_expected *v, unsigned n)
{
	struct world *w = ctx;

	memcpy(w->expected, v, n * sizeof *v);
	w->n_expected = n;
	return w->wants_more;
}

static bool host_by_allocator(void *ctx, taddr function, taddr ret)
{
	assert_int_equal(function, 0x5000 + FREE);
	assert_int_equal(ret, 0x1234);
	((struct world *)ctx)->asked_who_frees++;
	return ((struct world *)ctx)->own_free;
}

static int host_unwind(void *ctx, pid_t tid, const struct stack_copy *copy, struct alloc_chain *out)
{
	static const uint32_t frames[] = { 3, 4 };
	struct world *w = ctx;

	(void)tid;
	assert_int_equal(copy->sp, 0x7000);
	assert_int_equal(copy->kept[arch_frame_pointer], 0x7777);
	*out = (struct alloc_chain){ .frames = frames, .n = 2, .truncated = w->copy_ends };
	return w->no_unwinding;
}

static bool host_is_nested(void *ctx, const struct engine_call *call, enum alloc_label *label)
{
	struct world *w = ctx;

	w->judged = *call;
	w->judged_sp = call->stack->sp;
	*label = w->label;
	return w->nested;
}

static void host_checked(void *ctx, bool wrong)
{
	struct world *w = ctx;

	w->checked++;
	w->wrong += wrong;
}

static uint32_t node_place(void *ctx, taddr pc, bool exact, bool guessed, bool *hidden)
{
	(void)ctx, (void)exact, (void)guessed;
	*hidden = false;
	return (uint32_t)pc;
}

static uint32_t node_below(void *ctx, uint32_t parent, uint32_t place)
{
	(void)ctx;
	return parent * 100 + place;
}

static unsigned node_depth(void *ctx)
{
	(void)ctx;
	return 0;
}

static int begin(void **state)
{
	static const enum probe_kind kinds[] = { PROBE_ALLOC, PROBE_ALLOC, PROBE_REALLOC,
						 PROBE_FREE };
	struct world *w = calloc(1, sizeof *w);
	const struct nodes_host nodes = { node_place, node_below, 0, 1, w, node_depth };

	assert_non_null(w);
	w->shared = mmap(NULL, sizeof *w->shared, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(w->shared, MAP_FAILED);
	w->nodes = nodes_new(w->shared, &nodes);
	w->threads = threads_new(w->shared);
	w->thread = threads_begin(w->threads, 0x1000, 71);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		w->probes[i].kind = kinds[i];
		w->functions[i] = (struct engine_function){ .probe = &w->probes[i],
							    .at = 0x5000 + i };
	}
	w->host = (struct engine_host){ .event = host_event, .expect = host_expect,
					.by_allocator = host_by_allocator, .unwind = host_unwind,
					.is_nested = host_is_nested,
					.checked = host_checked,
					.ctx = w };
	w->v = (struct events){ .host = &w->host, .functions = w->functions,
				.n_functions = FUNCTIONS,
				.nodes = w->nodes, .threads = w->threads, .pid = 70 };
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	nodes_free(w->nodes);
	threads_free(w->threads);
	munmap(w->shared, sizeof *w->shared);
	free(w);
	return 0;
}

static const struct alloc_event *one(struct world *w, struct ring_record r)
{
	w->n = 0;
	events_take(&w->v, &r);
	assert_int_equal(w->n, 1);
	assert_int_equal(w->v.lost, 0);
	return &w->told[0];
}

static uint32_t leaf(struct world *w)
{
	w->shared->nodes[1] = (struct agent_node){ .pc = ROOT_WHOLE };
	w->shared->nodes[2] = (struct agent_node){ .pc = 8, .parent = 1 };
	w->shared->n_nodes = 3;
	return 2;
}

static void an_allocation_has_its_thread_size_and_node(void **state)
{
	struct world *w = *state;
	const struct alloc_event *e = one(w, (struct ring_record){
		.kind = RECORD_ALLOC, .thread = w->thread, .pointer = 0xabc0, .size = 24,
		.node = leaf(w) });

	assert_int_equal(e->kind, AE_ALLOC);
	assert_int_equal(e->call, CALL_MALLOC);
	assert_int_equal(e->task, 71);
	assert_int_equal(e->ptr, 0xabc0);
	assert_int_equal(e->size, 24);
	assert_int_equal(e->chain.node, 8);
	assert_int_equal(e->chain.truncated, CHAIN_WHOLE);
}

static void a_request_that_got_nothing_is_told_as_its_function_means_it(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_REALLOC, .thread = w->thread, .size = 0,
				 .words = 1u << WORD_OLD | 1u << WORD_FUNCTION };

	r.word[WORD_OLD] = 0xabc0;
	r.word[WORD_FUNCTION] = REALLOC;
	assert_int_equal(one(w, r)->kind, AE_REALLOC_FREED);
	r.size = 100;
	w->n = 0;
	events_take(&w->v, &r);
	assert_int_equal(w->n, 2);
	assert_int_equal(w->told[0].kind, AE_REALLOC_BACK);
	assert_int_equal(w->told[0].old_ptr, 0xabc0);
	assert_int_equal(w->told[1].kind, AE_FAILED);
	r.words = 1u << WORD_FUNCTION;
	assert_int_equal(one(w, r)->kind, AE_FAILED);
	r.words = 0;
	r.kind = RECORD_ALLOC;
	assert_int_equal(one(w, r)->kind, AE_FAILED);
}

static void without_a_function_a_realloc_that_got_nothing_makes_no_sense(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_REALLOC, .thread = w->thread, .size = 8 };

	events_take(&w->v, &r);
	r.words = 1u << WORD_FUNCTION;
	r.word[WORD_FUNCTION] = FUNCTIONS;
	events_take(&w->v, &r);
	assert_int_equal(w->n, 0);
	assert_int_equal(w->v.lost, 2);
	assert_int_equal(w->v.damaged, 2);
}

static void a_realloc_has_two_ends(void **state)
{
	struct world *w = *state;
	const struct alloc_event *e = one(w, (struct ring_record){
		.kind = RECORD_REALLOC_BEGIN, .thread = w->thread, .pointer = 0x10,
			.function = REALLOC });

	assert_int_equal(e->kind, AE_REALLOC_BEGIN);
	assert_int_equal(e->old_ptr, 0x10);
	struct ring_record r = { .kind = RECORD_REALLOC, .thread = w->thread, .pointer = 0x20,
				 .size = 9, .words = 1u << WORD_OLD, .node = leaf(w) };
	r.word[WORD_OLD] = 0x10;
	e = one(w, r);
	assert_int_equal(e->kind, AE_REALLOC_MOVED);
	assert_int_equal(e->old_ptr, 0x10);
	assert_int_equal(e->ptr, 0x20);
}

static void calloc_may_tell_its_arguments_apart(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_CALLOC, .thread = w->thread, .pointer = 0x10,
				 .size = 12,
				 .node = leaf(w) };
	const struct alloc_event *e = one(w, r);

	assert_int_equal(e->call, CALL_CALLOC);
	assert_int_equal(e->count, 1);
	assert_int_equal(e->elem, 12);
	r.words = 1u << WORD_COUNT | 1u << WORD_ELEM;
	r.word[WORD_COUNT] = 3;
	r.word[WORD_ELEM] = 4;
	e = one(w, r);
	assert_int_equal(e->count, 3);
	assert_int_equal(e->elem, 4);
}

static void who_frees_is_asked_once_for_each_place_until_others_are_mapped(void **state)
{
	struct world *w = *state;
	const struct ring_record r = { .kind = RECORD_FREE, .thread = w->thread, .pointer = 0x10,
				       .function = FREE, .ret = 0x1234 };

	w->own_free = true;
	assert_true(one(w, r)->by_allocator);
	w->own_free = false;
	assert_true(one(w, r)->by_allocator);
	assert_int_equal(w->asked_who_frees, 1);
	events_modules(&w->v);
	assert_false(one(w, r)->by_allocator);
	assert_int_equal(w->asked_who_frees, 2);
	const struct alloc_event *e = one(w, (struct ring_record){ .kind = RECORD_FREE });
	assert_int_equal(e->ptr, 0);
	assert_false(e->by_allocator);
}

/* The memory is the program's: records ahead may contain anything. */
static void what_is_to_come_is_told_as_far_as_it_can_be_told(void **state)
{
	struct world *w = *state;
	const uint32_t number = leaf(w);
	const uint64_t set = RECORD_SET | UINT64_C(0x10) << RECORD_POINTER_SHIFT;
	const struct agent_record v[] = {
		{ set | RECORD_ALLOC << RECORD_KIND_SHIFT,
		  UINT64_C(40) << RECORD_SIZE_SHIFT | number },
		{ set | RECORD_ALLOC << RECORD_KIND_SHIFT, UINT64_MAX },
		{ set | RECORD_FREE << RECORD_KIND_SHIFT, UINT64_MAX },
		{ set | RECORD_TIME << RECORD_KIND_SHIFT, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX },
	};
	uint32_t node;
	enum chain_end end;

	w->wants_more = true;
	assert_true(events_expect(&w->v, v, 5));
	assert_int_equal(w->n_expected, 5);
	assert_int_equal(w->expected[0].node, 0); /* not told of yet */
	assert_int_equal(nodes_find(w->nodes, number, &node, &end), 0);
	w->wants_more = false;
	assert_false(events_expect(&w->v, v, 5));
	assert_int_equal(w->expected[0].ptr, 0x10);
	assert_int_equal(w->expected[0].size, 40);
	assert_int_equal(w->expected[0].node, node);
	assert_int_equal(w->expected[1].node, 0);
	assert_int_equal(w->expected[2].ptr, 0x10);
	assert_int_equal(w->expected[2].node, 0);
	assert_int_equal(w->expected[3].ptr, 0);
	assert_int_equal(w->n, 0);
}

static void a_stranger_is_told_by_its_thread_pointer_or_is_some_thread(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_FREE, .thread = 3, .words = 1u << WORD_THREAD };

	r.word[WORD_THREAD] = 0x1000;
	assert_int_equal(one(w, r)->task, 71);
	r.word[WORD_THREAD] = 0x2000;
	assert_int_equal(one(w, r)->task, 70);
	r.thread = AGENT_NO_THREAD;
	r.words = 0;
	assert_int_equal(one(w, r)->task, 70);
}

static const struct ring_stack stack = { .pc = 0x6000, .sp = 0x7000, .fp = 0x7777, .bytes = 16 };

static void a_copy_of_the_stack_is_unwound_here(void **state)
{
	struct world *w = *state;
	const struct ring_record r = { .kind = RECORD_ALLOC, .thread = w->thread, .pointer = 0x10,
				       .size = 1, .stack = &stack };
	const struct alloc_event *e = one(w, r);

	assert_int_equal(e->chain.node, 0);
	assert_int_equal(e->chain.n, 2);
	w->no_unwinding = -1;
	e = one(w, r);
	assert_int_equal(e->chain.n, 0);
	assert_int_equal(e->chain.truncated, CHAIN_UNREADABLE);
}

/* The leaf of a chain of these pcs, innermost first, from a root of this kind. */
static uint32_t chain(struct world *w, enum agent_root root, const uint32_t *pc, size_t n)
{
	w->shared->nodes[++w->shared->n_nodes] = (struct agent_node){ .pc = root };
	while (n--) {
		uint32_t parent = w->shared->n_nodes++;

		w->shared->nodes[parent + 1] = (struct agent_node){ .pc = pc[n], .parent = parent };
	}
	return w->shared->n_nodes;
}

/* Checked against a copy that tells 3 and 4: 1 right, 0 wrong, -1: nothing can be said. */
static int check(struct world *w, enum agent_root root, const uint32_t *pc, size_t n)
{
	struct ring_record r = { .kind = RECORD_ALLOC, .thread = w->thread, .pointer = 0x10,
				 .size = 1, .stack = &stack, .node = chain(w, root, pc, n) };
	size_t checked = w->checked, wrong = w->wrong;

	/* Whatever the copy says, the event has the chain that the agent has found. */
	assert_int_not_equal(one(w, r)->chain.node, 0);
	return checked == w->checked ? -1 : wrong == w->wrong;
}

static void chains_are_compared_with_copies_if_that_is_asked_for(void **state)
{
	static const uint32_t same[] = { 3, 4 }, other[] = { 3, 5 }, longer[] = { 3, 4, 5 };
	struct world *w = *state;

	assert_int_equal(check(w, ROOT_WHOLE, other, 2), -1);
	w->v.check = true;
	assert_int_equal(check(w, ROOT_WHOLE, same, 2), 1);
	assert_int_equal(check(w, ROOT_WHOLE, other, 2), 0);
	assert_int_equal(check(w, ROOT_WHOLE, longer, 3), 0);
	assert_int_equal(check(w, ROOT_WHOLE, same, 1), 0);
	/* One says that it is whole, the other that it is not. */
	assert_int_equal(check(w, ROOT_NO_CFI, same, 2), 0);
	w->copy_ends = CHAIN_NO_CFI;
	assert_int_equal(check(w, ROOT_WHOLE, same, 2), 0);
	assert_int_equal(check(w, ROOT_NO_CFI, same, 2), 1);
}

static void a_copy_that_does_not_reach_can_only_say_that_a_chain_is_wrong(void **state)
{
	static const uint32_t same[] = { 3, 4 }, other[] = { 3, 5, 4 }, longer[] = { 3, 4, 5 };
	struct world *w = *state;

	w->v.check = true;
	w->copy_ends = CHAIN_UNREADABLE;
	assert_int_equal(check(w, ROOT_WHOLE, longer, 3), -1);
	assert_int_equal(check(w, ROOT_WHOLE, same, 2), -1);
	assert_int_equal(check(w, ROOT_WHOLE, other, 3), 0);
	/* Of one that the agent has cut the outer frames are missing. */
	w->copy_ends = CHAIN_WHOLE;
	assert_int_equal(check(w, ROOT_TOO_DEEP, same, 1), -1);
	assert_int_equal(check(w, ROOT_TOO_DEEP, other, 3), 0);
}

static void what_the_agent_has_not_judged_the_host_does(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_ALLOC, .thread = w->thread, .pointer = 0x10,
				 .size = 1, .stack = &stack,
				 .words = 1u << WORD_JUDGE | 1u << WORD_FUNCTION };

	r.word[WORD_JUDGE] = SEEN_OUTER | SEEN_SIGNAL | SEEN_KEPT | 0x7ff8;
	r.word[WORD_FUNCTION] = CALLOC;
	w->nested = true;
	events_take(&w->v, &r);
	assert_int_equal(w->n, 0);
	w->nested = false;
	w->label = LABEL_CONS;
	assert_int_equal(one(w, r)->label, LABEL_CONS);
	assert_int_equal(w->judged.tid, 71);
	assert_int_equal(w->judged_sp, 0x7000);
	assert_ptr_equal(w->judged.function, &w->functions[CALLOC]);
	assert_int_equal(w->judged.gives, 0x10);
	assert_int_equal(w->judged.freed, 0);
	const struct engine_seen *seen = &w->judged.seen;
	assert_int_equal(seen->outer_at, 0x7ff8);
	assert_true(seen->kept && seen->whole && seen->outer && seen->signal && !seen->own);
	w->label = LABEL_NONE;
	r = (struct ring_record){ .kind = RECORD_FREE, .thread = w->thread, .pointer = 0x20,
				  .function = FREE, .ret = 0x1234, .stack = &stack,
				  .words = 1u << WORD_JUDGE };
	/* A pad was met first, whatever is outside of it. */
	r.word[WORD_JUDGE] = SEEN_OUTER | SEEN_PAD;
	one(w, r);
	assert_null(w->judged.function);
	assert_int_equal(w->judged.freed, 0x20);
	assert_int_equal(w->judged.gives, 0);
	assert_true(seen->own && seen->whole && !seen->outer && !seen->kept && !seen->signal);
	r.word[WORD_JUDGE] = 0;
	one(w, r);
	assert_false(seen->whole);
}

static void a_node_that_is_none_is_lost(void **state)
{
	struct world *w = *state;
	const struct ring_record r = { .kind = RECORD_ALLOC, .thread = w->thread, .pointer = 0x10,
				       .size = 1, .node = 77 };

	events_take(&w->v, &r);
	assert_int_equal(w->n, 0);
	assert_int_equal(w->v.lost, 1);
	assert_int_equal(w->v.damaged, 1);
}

static void ticks_are_placed_between_two_moments_and_never_go_back(void **state)
{
	struct world *w = *state;

	events_now(&w->v, 1000, 500);
	assert_int_equal(events_time(&w->v, 1), 500);
	events_now(&w->v, 2000, 1500);
	assert_int_equal(events_time(&w->v, 1000), 500);
	assert_int_equal(events_time(&w->v, 1500), 1000);
	assert_int_equal(events_time(&w->v, 9000), 1500);
	assert_int_equal(events_time(&w->v, 0), 500);
	w->v.last_ns = 1200;
	assert_int_equal(events_time(&w->v, 1500), 1200);
}

static void records_of_the_same_ticks_have_one_time_until_the_next_drain(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_REALLOC_BEGIN, .thread = w->thread,
				 .pointer = 0x10 };

	events_now(&w->v, 1000, 500);
	events_now(&w->v, 2000, 1500);
	r.ticks = 1400;
	assert_int_equal(one(w, r)->time_ns, 900);
	assert_int_equal(one(w, r)->time_ns, 900);
	r.ticks = 1500;
	assert_int_equal(one(w, r)->time_ns, 1000);
	r.ticks = 1400; /* of a processor whose clock is behind */
	assert_int_equal(one(w, r)->time_ns, 1000);
	/* Without a clock it is the moment of the drain. */
	r.ticks = 0;
	w->v.moments = (struct moments){ { 0 }, { 0 } };
	events_now(&w->v, 0, 3000);
	assert_int_equal(one(w, r)->time_ns, 3000);
	events_now(&w->v, 0, 4000);
	assert_int_equal(one(w, r)->time_ns, 4000);
}

static void an_event_is_bounded_by_the_next_time_the_step_and_the_drain(void **state)
{
	struct world *w = *state;
	struct ring_record r = { .kind = RECORD_REALLOC_BEGIN, .thread = w->thread,
				 .pointer = 0x10, .ticks = 1400 };

	events_now(&w->v, 1000, 500);
	events_now(&w->v, 2000, 1500);
	events_bound(&w->v, 1600, 0);
	assert_int_equal(one(w, r)->until_ns, 1600);
	r.until_ticks = 1700;
	assert_int_equal(one(w, r)->until_ns, 1200);
	/* Each has looked at the clock. */
	events_bound(&w->v, 1600, 100);
	assert_int_equal(one(w, r)->until_ns, 1000);
	r.until_ticks = 1450;
	assert_int_equal(one(w, r)->until_ns, 950);
	r.until_ticks = 2100;
	r.ticks = 1950;
	assert_int_equal(one(w, r)->until_ns, 1600);
	/* Of a record without ticks no step is known. */
	r.ticks = r.until_ticks = 0;
	assert_int_equal(one(w, r)->until_ns, 1600);
	/* The same is said of a record between the same looks, until the next drain. */
	events_bound(&w->v, 1700, 100);
	assert_int_equal(one(w, r)->until_ns, 1700);
	events_now(&w->v, 3000, 2500);
	r.until_ticks = 2500;
	assert_int_equal(one(w, r)->until_ns, 2000);
	r.until_ticks = 2600;
	assert_int_equal(one(w, r)->until_ns, 2100);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(an_allocation_has_its_thread_size_and_node),
		TEST(a_request_that_got_nothing_is_told_as_its_function_means_it),
		TEST(without_a_function_a_realloc_that_got_nothing_makes_no_sense),
		TEST(a_realloc_has_two_ends),
		TEST(calloc_may_tell_its_arguments_apart),
		TEST(what_is_to_come_is_told_as_far_as_it_can_be_told),
		TEST(who_frees_is_asked_once_for_each_place_until_others_are_mapped),
		TEST(a_stranger_is_told_by_its_thread_pointer_or_is_some_thread),
		TEST(a_copy_of_the_stack_is_unwound_here),
		TEST(chains_are_compared_with_copies_if_that_is_asked_for),
		TEST(a_copy_that_does_not_reach_can_only_say_that_a_chain_is_wrong),
		TEST(what_the_agent_has_not_judged_the_host_does),
		TEST(a_node_that_is_none_is_lost),
		TEST(ticks_are_placed_between_two_moments_and_never_go_back),
		TEST(records_of_the_same_ticks_have_one_time_until_the_next_drain),
		TEST(an_event_is_bounded_by_the_next_time_the_step_and_the_drain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
