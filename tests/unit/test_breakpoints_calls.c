/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "breakpoints/calls.h"

#include <stdlib.h>

/* Breakpoints at the entries of three allocator functions, and where the program calls them. */
enum { MALLOC = 0x1000, REALLOC = 0x2000, OTHER_MALLOC = 0x9000, SITE = 0x400123,
       OTHER_SITE = 0x400456 };

#define SLOT 0x7ffe00001000u

static const struct call pending = { .entry = REALLOC, .ret_at = SLOT, .ret = SITE,
				     .sp_after = SLOT + 8 };

static enum entry_verdict judge(taddr entry, taddr ret_at, taddr ret, taddr word)
{
	return calls_classify_entry(&pending, &(struct call_entry){ entry, ret_at, ret, 0 }, word);
}

static enum entry_verdict judge_after(const struct call *c, taddr entry, taddr ret_at, taddr ret,
				      taddr word, taddr freed)
{
	return calls_classify_entry(c, &(struct call_entry){ entry, ret_at, ret, freed }, word);
}

static void an_entry_with_nothing_pending_is_the_programs_own(void **state)
{
	(void)state;
	assert_int_equal(judge_after(NULL, MALLOC, SLOT, SITE, 0, 0), ENTRY_OUTER);
}

/* The word on the stack may still be there after a longjmp: then the chain decides. */
static void of_a_call_from_further_down_the_chain_tells_whether_it_is_nested(void **state)
{
	(void)state;
	assert_int_equal(judge(MALLOC, SLOT - 64, 0x2040, SITE), ENTRY_UNWIND);
	assert_int_equal(judge(OTHER_MALLOC, SLOT - 8, 0x2040, SITE), ENTRY_UNWIND);
	/* A recursion of the function itself. */
	assert_int_equal(judge(REALLOC, SLOT - 64, 0x2040, SITE), ENTRY_UNWIND);
}

static void where_the_chain_is_cut_the_word_on_the_stack_has_to_do(void **state)
{
	const struct call free_call = { .entry = MALLOC, .ret_at = SLOT, .ret = SITE,
					.unwatched = true,
					.ptr = 0x5000 };

	(void)state;
	assert_int_equal(calls_judge_cut(&pending, &(struct call_entry){ MALLOC, SLOT - 64, SITE,
									 0 }),
			 ENTRY_NESTED);
	assert_int_equal(calls_judge_cut(&free_call, &(struct call_entry){ MALLOC, SLOT - 64, SITE,
									   0 }),
			 ENTRY_ABANDONED);
	assert_int_equal(calls_judge_cut(&free_call, &(struct call_entry){ MALLOC, SLOT - 64, SITE,
									   0x6000 }),
			 ENTRY_ABANDONED);
	assert_int_equal(calls_judge_cut(&free_call, &(struct call_entry){ MALLOC, SLOT - 64, SITE,
									   0x5000 }),
			 ENTRY_NESTED);
}

/* reallocarray jumps to realloc, realloc(NULL, n) to malloc: the stack is unchanged. */
static void a_tail_call_is_nested(void **state)
{
	(void)state;
	assert_int_equal(judge(MALLOC, SLOT, SITE, SITE), ENTRY_NESTED);
}

static void a_wrapper_that_is_called_again_for_something_else_is_no_tail_call(void **state)
{
	const struct call wrapped = { .entry = MALLOC, .ret_at = SLOT, .ret = SITE,
				      .unwatched = true,
				      .by_wrapper = true, .ptr = 0x5000 };

	(void)state;
	assert_int_equal(calls_classify_entry(&wrapped, &(struct call_entry){ REALLOC, SLOT, SITE,
									      0 }, SITE),
			 ENTRY_ABANDONED);
	assert_int_equal(calls_classify_entry(&wrapped, &(struct call_entry){ REALLOC, SLOT, SITE,
									      0x6000 }, SITE),
			 ENTRY_ABANDONED);
	assert_int_equal(calls_classify_entry(&wrapped, &(struct call_entry){ REALLOC, SLOT, SITE,
									      0x5000 }, SITE),
			 ENTRY_NESTED);
	assert_int_equal(calls_classify_entry(&wrapped, &(struct call_entry){ MALLOC, SLOT, SITE,
									      0x6000 }, SITE),
			 ENTRY_RESTARTED);
	assert_int_equal(calls_classify_entry(&wrapped, &(struct call_entry){ REALLOC, SLOT - 64,
									      SITE, 0 }, SITE),
			 ENTRY_UNWIND);
}

/* A signal moves the pc back to the start of a function that it interrupted too early. */
static void the_same_entry_again_is_a_restart(void **state)
{
	(void)state;
	assert_int_equal(judge(REALLOC, SLOT, SITE, SITE), ENTRY_RESTARTED);
}

static void a_restart_is_told_even_after_a_signal(void **state)
{
	struct call c = pending;

	(void)state;
	c.interrupted = true;
	assert_int_equal(judge_after(&c, REALLOC, SLOT, SITE, SITE, 0), ENTRY_RESTARTED);
}

static void an_entry_above_the_pending_call_shows_that_it_was_abandoned(void **state)
{
	(void)state;
	assert_int_equal(judge(MALLOC, SLOT + 8, OTHER_SITE, SITE), ENTRY_ABANDONED);
	assert_int_equal(judge(REALLOC, SLOT + 4096, SITE, SITE), ENTRY_ABANDONED);
	/* From the same depth, but another place. */
	assert_int_equal(judge(REALLOC, SLOT, OTHER_SITE, OTHER_SITE), ENTRY_ABANDONED);
	assert_int_equal(judge(MALLOC, SLOT, OTHER_SITE, OTHER_SITE), ENTRY_ABANDONED);
}

static void an_entry_below_shows_it_too_if_the_return_address_was_written_over(void **state)
{
	(void)state;
	assert_int_equal(judge(MALLOC, SLOT - 64, OTHER_SITE, 0), ENTRY_ABANDONED);
	assert_int_equal(judge(MALLOC, SLOT - 64, SITE, OTHER_SITE), ENTRY_ABANDONED);
}

static void after_a_signal_only_the_chain_can_tell(void **state)
{
	struct call c = pending;

	(void)state;
	c.interrupted = true;
	/* On the handler's stack, on another one below or above. */
	assert_int_equal(judge_after(&c, MALLOC, SLOT - 4096, OTHER_SITE, SITE, 0), ENTRY_UNWIND);
	assert_int_equal(judge_after(&c, MALLOC, SLOT + 4096, OTHER_SITE, SITE, 0), ENTRY_UNWIND);
	assert_int_equal(judge_after(&c, MALLOC, SLOT - 4096, OTHER_SITE, 0, 0), ENTRY_UNWIND);
}

/* Its return is not trapped, so it may have returned by now. */
static void of_a_free_only_what_is_on_the_stack_and_in_the_chain_can_tell(void **state)
{
	enum { FREE = 0x3000, OTHER_FREE = 0x9100, BLOCK = 0x5000, OTHER_BLOCK = 0x6000 };
	const struct call c = { .entry = FREE, .ret_at = SLOT, .ret = SITE, .sp_after = SLOT + 8,
				.unwatched = true, .ptr = BLOCK };

	(void)state;
	/* Above it, or its return address is gone: it is over. */
	assert_int_equal(judge_after(&c, MALLOC, SLOT + 8, OTHER_SITE, SITE, 0), ENTRY_ABANDONED);
	assert_int_equal(judge_after(&c, MALLOC, SLOT - 64, OTHER_SITE, OTHER_SITE, 0),
			 ENTRY_ABANDONED);
	/* A word that stayed where it was looks the same as a call from inside. */
	assert_int_equal(judge_after(&c, MALLOC, SLOT - 64, OTHER_SITE, SITE, 0), ENTRY_UNWIND);
	assert_int_equal(judge_after(&c, OTHER_FREE, SLOT - 64, OTHER_SITE, SITE, BLOCK),
			 ENTRY_UNWIND);
	/* The same site frees the next block: a new call, not a restart of the old one alone. */
	assert_int_equal(judge_after(&c, FREE, SLOT, SITE, SITE, OTHER_BLOCK), ENTRY_RESTARTED);
	/* It jumps to another module's free, perhaps with another pointer: the site calls nothing
	 * else. */
	assert_int_equal(judge_after(&c, OTHER_FREE, SLOT, SITE, SITE, BLOCK), ENTRY_NESTED);
	assert_int_equal(judge_after(&c, OTHER_FREE, SLOT, SITE, SITE, OTHER_BLOCK), ENTRY_NESTED);
}

static struct call *push(struct calls *c, taddr ret, taddr sp_after)
{
	struct call *call = calls_push(c);

	assert_non_null(call);
	assert_null(call->frames);
	assert_int_equal(call->ret, 0);
	assert_false(call->interrupted);
	call->ret = ret;
	call->sp_after = sp_after;
	call->ret_at = sp_after - 8;
	return call;
}

static void a_return_needs_both_the_place_and_the_stack_pointer(void **state)
{
	struct calls c = { 0 };

	(void)state;
	assert_int_equal(calls_returning(&c, SITE, SLOT), -1);
	push(&c, SITE, SLOT);
	assert_int_equal(calls_returning(&c, SITE, SLOT), 0);
	assert_int_equal(calls_returning(&c, SITE, SLOT - 16), -1); /* a recursion came by */
	assert_int_equal(calls_returning(&c, SITE, SLOT + 16), -1);
	assert_int_equal(calls_returning(&c, OTHER_SITE, SLOT), -1);
	calls_pop(&c);
	assert_int_equal(calls_returning(&c, SITE, SLOT), -1);
	calls_release(&c);
}

static void of_several_pending_calls_the_right_one_returns(void **state)
{
	struct calls c = { 0 };

	(void)state;
	push(&c, SITE, SLOT);
	push(&c, OTHER_SITE, SLOT - 100);
	push(&c, SITE, SLOT - 200); /* the same place again, deeper */
	assert_int_equal(calls_returning(&c, SITE, SLOT - 200), 2);
	assert_int_equal(calls_returning(&c, OTHER_SITE, SLOT - 100), 1);
	assert_int_equal(calls_returning(&c, SITE, SLOT), 0);
	assert_int_equal(calls_returning(&c, OTHER_SITE, SLOT), -1);
	calls_release(&c);
}

/* A tail call that is pending by itself: the innermost call returns first. */
static void of_two_that_return_alike_the_innermost_does(void **state)
{
	struct calls c = { 0 };

	(void)state;
	push(&c, SITE, SLOT);
	push(&c, SITE, SLOT);
	assert_int_equal(calls_returning(&c, SITE, SLOT), 1);
	calls_pop(&c);
	assert_int_equal(calls_returning(&c, SITE, SLOT), 0);
	calls_release(&c);
}

static void many_pending_calls_are_kept_and_their_chains_freed(void **state)
{
	struct calls c = { 0 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct call *call = push(&c, SITE + i, SLOT - 16 * i);

		call->frames = calloc(3, sizeof *call->frames);
		call->n_frames = 3;
		assert_int_equal(c.n, i + 1);
	}
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(calls_returning(&c, SITE + i, SLOT - 16 * i), i);
	calls_pop(&c);
	assert_int_equal(c.n, 999);
	calls_release(&c); /* sanitizers see what is not freed */
	assert_int_equal(c.n, 0);
	assert_null(c.v);
	calls_release(&c);
}

/* ---- calls within calls ---- */

static void what_is_nested_is_met_by_its_place_and_the_stack_pointer(void **state)
{
	struct calls c = { 0 };

	(void)state;
	assert_null(calls_find_nested(&c, SITE, SLOT));
	push(&c, SITE, SLOT);
	assert_true(calls_is_pending(&c, SITE, SLOT));
	assert_false(calls_is_pending(&c, SITE, SLOT - 16));
	assert_false(calls_is_pending(&c, OTHER_SITE, SLOT));
	for (unsigned i = 1; i < 10; i++) {
		const struct call_entry e = { MALLOC, SLOT - 100 * i - 8, OTHER_SITE + i, 0 };

		assert_false(calls_enter(&c, &e));
		calls_note_nested(&c, &e, SLOT - 100 * i, i % 2);
	}
	for (unsigned i = 1; i < 10; i++) {
		const struct nested_call *n = calls_find_nested(&c, OTHER_SITE + i, SLOT - 100 * i);

		assert_non_null(n);
		assert_int_equal(n->entry, MALLOC);
		assert_int_equal(n->certain, i % 2);
		assert_null(calls_find_nested(&c, OTHER_SITE, SLOT - 100 * i));
		assert_null(calls_find_nested(&c, OTHER_SITE + i, SLOT - 100 * i + 8));
	}
	calls_release(&c);
	assert_null(calls_find_nested(&c, OTHER_SITE + 1, SLOT - 100));
}

/* The stack pointer at an entry shows which calls have been left. */
static void what_cannot_be_around_an_entry_is_nested_no_more(void **state)
{
	struct calls c = { 0 };

	(void)state;
	push(&c, SITE, SLOT);
	for (unsigned i = 1; i < 10; i++)
		calls_note_nested(&c, &(struct call_entry){ MALLOC, SLOT - 100 * i - 8, SITE, 0 },
				  SLOT - 100 * i, true);
	assert_false(calls_enter(&c, &(struct call_entry){ MALLOC, SLOT - 508, SITE, 0 }));
	/* That was the very same call once more, which is another one. */
	for (unsigned i = 1; i < 10; i++)
		assert_int_equal(!calls_find_nested(&c, SITE, SLOT - 100 * i), i >= 5);
	assert_false(calls_enter(&c, &(struct call_entry){ MALLOC, SLOT - 500, OTHER_SITE, 0 }));
	assert_non_null(calls_find_nested(&c, SITE, SLOT - 400));
	assert_false(calls_enter(&c, &(struct call_entry){ MALLOC, SLOT - 8, SITE, 0 }));
	assert_null(calls_find_nested(&c, SITE, SLOT - 100));
	calls_release(&c);
}

static void a_nested_call_that_jumps_to_another_function_is_the_same_call(void **state)
{
	struct calls c = { 0 };
	const struct call_entry nested = { REALLOC, SLOT - 108, OTHER_SITE, 0 };
	const struct call_entry jumped = { MALLOC, SLOT - 108, OTHER_SITE, 0 };

	(void)state;
	push(&c, SITE, SLOT);
	calls_note_nested(&c, &nested, SLOT - 100, true);
	assert_true(calls_enter(&c, &jumped));
	assert_non_null(calls_find_nested(&c, OTHER_SITE, SLOT - 100));
	/* Where the site may call either, it may be a new call. */
	assert_false(calls_enter(&c, &nested));
	calls_note_nested(&c, &nested, SLOT - 100, false);
	assert_false(calls_enter(&c, &jumped));
	assert_null(calls_find_nested(&c, OTHER_SITE, SLOT - 100));
	calls_release(&c);
}

static void what_is_nested_in_a_call_goes_with_it_and_hides_while_another_is_pending(void **state)
{
	struct calls c = { 0 };

	(void)state;
	push(&c, SITE, SLOT);
	calls_note_nested(&c, &(struct call_entry){ MALLOC, SLOT - 108, SITE, 0 }, SLOT - 100,
			  true);
	push(&c, OTHER_SITE, SLOT - 200);
	assert_null(calls_find_nested(&c, SITE, SLOT - 100));
	/* On another stack, above. */
	calls_note_nested(&c, &(struct call_entry){ MALLOC, SLOT + 992, SITE, 0 }, SLOT + 1000,
			  true);
	assert_non_null(calls_find_nested(&c, SITE, SLOT + 1000));
	assert_null(calls_find_nested(&c, SITE, SLOT - 100));
	calls_pop(&c);
	assert_null(calls_find_nested(&c, SITE, SLOT + 1000));
	assert_non_null(calls_find_nested(&c, SITE, SLOT - 100));
	calls_pop(&c);
	assert_int_equal(c.n_nested, 0);
	calls_release(&c);
}

/* If a chain is truncated, only its known part counts; on another stack it proves nothing. */
static void a_call_that_a_chain_has_passed_by_is_over(void **state)
{
	struct calls c = { 0 };

	(void)state;
	struct call *call = push(&c, SITE, SLOT);
	assert_true(calls_is_over(&c, SLOT + 64));
	assert_true(calls_is_over(&c, SLOT));
	assert_false(calls_is_over(&c, SLOT - 8));
	assert_false(calls_is_over(&c, 0));
	call->interrupted = true;
	assert_false(calls_is_over(&c, SLOT + 64));
	calls_release(&c);
}

/* The frames of a chain, outermost first, as they would be found by unwinding. */
struct frame {
	taddr pc, sp;
};

/* How many frames are looked at until one tells what the entry is; 0: none does. */
static size_t frames_looked_at(const struct calls *c, const struct frame *chain, size_t n)
{
	for (size_t looked = 1; looked <= n; looked++) {
		const struct frame *f = &chain[n - looked];

		if (calls_is_pending(c, f->pc, f->sp) || calls_find_nested(c, f->pc, f->sp))
			return looked;
	}
	return 0;
}

static void what_a_call_within_calls_costs_does_not_grow_with_their_depth(void **state)
{
	enum { DEPTH = 10000, FRAMES = 7, BYTES = 64 };
	struct frame *chain = calloc(DEPTH * FRAMES + FRAMES, sizeof *chain);
	struct calls c = { 0 };
	size_t n = 0, most = 0;

	(void)state;
	assert_non_null(chain);
	push(&c, SITE, SLOT);
	for (unsigned i = 0; i <= FRAMES; i++, n++)	/* main, and what has called it */
		chain[n] = (struct frame){ SITE + FRAMES - i, SLOT + (taddr)BYTES * (FRAMES - i) };
	for (unsigned depth = 1; depth < DEPTH; depth++) {
		for (unsigned i = 0; i < FRAMES; i++, n++)
			chain[n] = (struct frame){ OTHER_SITE + i, chain[n - 1].sp - BYTES };
		const struct frame *inner = &chain[n - 1];
		const struct call_entry e = { MALLOC, inner->sp - 8, inner->pc, 0 };

		assert_int_equal(calls_classify_entry(&c.v[0], &e, SITE), ENTRY_UNWIND);
		assert_false(calls_enter(&c, &e));
		size_t looked = frames_looked_at(&c, chain, n);
		assert_int_not_equal(looked, 0);
		most = looked > most ? looked : most;
		calls_note_nested(&c, &e, inner->sp, true);
	}
	assert_in_range(most, FRAMES, FRAMES + 1);
	calls_release(&c);
	free(chain);
}

static void what_the_engine_has_seen_of_the_stack_decides(void **state)
{
	const struct call p = { .ret_at = 0x100 };
	struct engine_seen seen = { .outer_at = 0x100 };

	(void)state;
	assert_int_equal(calls_judge_seen(&p, &seen), ENTRY_UNWIND);
	seen.whole = true;
	assert_int_equal(calls_judge_seen(&p, &seen), ENTRY_ABANDONED);
	assert_int_equal(calls_judge_seen(NULL, &seen), ENTRY_OUTER);
	seen.outer = true;
	assert_int_equal(calls_judge_seen(&p, &seen), ENTRY_NESTED);
	seen.signal = true;
	assert_int_equal(calls_judge_seen(&p, &seen), ENTRY_OUTER);
	/* Of another one it has not been told. */
	seen.outer_at = 0x200;
	assert_int_equal(calls_judge_seen(&p, &seen), ENTRY_UNWIND);
	seen.outer = seen.signal = false;
	seen.own = true;
	assert_int_equal(calls_judge_seen(&p, &seen), ENTRY_IN_ENGINE);
	assert_int_equal(calls_judge_seen(NULL, &seen), ENTRY_IN_ENGINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_engine_has_seen_of_the_stack_decides),
		cmocka_unit_test(an_entry_with_nothing_pending_is_the_programs_own),
		cmocka_unit_test(of_a_free_only_what_is_on_the_stack_and_in_the_chain_can_tell),
		cmocka_unit_test(of_a_call_from_further_down_the_chain_tells_whether_it_is_nested),
		cmocka_unit_test(where_the_chain_is_cut_the_word_on_the_stack_has_to_do),
		cmocka_unit_test(a_tail_call_is_nested),
		cmocka_unit_test(a_wrapper_that_is_called_again_for_something_else_is_no_tail_call),
		cmocka_unit_test(the_same_entry_again_is_a_restart),
		cmocka_unit_test(a_restart_is_told_even_after_a_signal),
		cmocka_unit_test(an_entry_above_the_pending_call_shows_that_it_was_abandoned),
		cmocka_unit_test(
			an_entry_below_shows_it_too_if_the_return_address_was_written_over),
		cmocka_unit_test(after_a_signal_only_the_chain_can_tell),
		cmocka_unit_test(a_return_needs_both_the_place_and_the_stack_pointer),
		cmocka_unit_test(of_several_pending_calls_the_right_one_returns),
		cmocka_unit_test(of_two_that_return_alike_the_innermost_does),
		cmocka_unit_test(what_is_nested_is_met_by_its_place_and_the_stack_pointer),
		cmocka_unit_test(what_cannot_be_around_an_entry_is_nested_no_more),
		cmocka_unit_test(a_nested_call_that_jumps_to_another_function_is_the_same_call),
		cmocka_unit_test(
			what_is_nested_in_a_call_goes_with_it_and_hides_while_another_is_pending),
		cmocka_unit_test(a_call_that_a_chain_has_passed_by_is_over),
		cmocka_unit_test(what_a_call_within_calls_costs_does_not_grow_with_their_depth),
		cmocka_unit_test(many_pending_calls_are_kept_and_their_chains_freed),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
