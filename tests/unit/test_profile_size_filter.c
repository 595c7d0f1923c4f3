/* SPDX-License-Identifier: BSD-2-Clause */
/* Which requests are recorded, by their size. */
#include "unit/unit.h"
#include "profile/size_filter.h"

#include <stdlib.h>

static struct size_filter range(uint64_t min, uint64_t max)
{
	return (struct size_filter){ .min = min, .max = max };
}

/* Of a block that is recorded, or is not. */
static int tell_of(struct size_filter *s, struct alloc_event *e, enum alloc_event_kind kind,
		   taddr ptr, taddr old, uint64_t size, bool known)
{
	*e = (struct alloc_event){ .kind = kind,
				   .task = 7,
				   .ptr = ptr,
				   .old_ptr = old,
				   .size = size };
	return size_filter_event(s, e, known);
}

static int tell(struct size_filter *s, struct alloc_event *e, enum alloc_event_kind kind, taddr ptr,
		taddr old, uint64_t size)
{
	return tell_of(s, e, kind, ptr, old, size, false);
}

static void both_ends_of_the_range_are_in_it(void **state)
{
	struct size_filter s = range(10, 20);
	struct alloc_event e;

	(void)state;
	for (uint64_t size = 8; size < 23; size++) {
		bool in = size >= 10 && size <= 20;

		assert_int_equal(size_filter_passes(&s, size), in);
		assert_int_equal(tell(&s, &e, AE_ALLOC, 0x1000 + size * 64, 0, size), in);
		assert_int_equal(tell(&s, &e, AE_FAILED, 0, 0, size), in);
		assert_int_equal(tell_of(&s, &e, AE_FREE, 0x1000 + size * 64, 0, 0, in), in);
	}
	assert_int_equal(s.requests, 2 * 4);	/* those that failed, too */
	assert_int_equal(s.frees, 4);
	size_filter_release(&s);
}

static void without_limits_everything_passes_unchanged(void **state)
{
	struct size_filter s = range(0, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	assert_true(size_filter_is_open(&s));
	assert_int_equal(tell(&s, &e, AE_ALLOC, 0x1000, 0, UINT64_MAX), 1);
	assert_int_equal(e.kind, AE_ALLOC);
	assert_int_equal(tell(&s, &e, AE_FREE, 0x2000, 0, 0), 1); /* an unknown block */
	assert_int_equal(s.requests + s.frees, 0);
	size_filter_release(&s);
}

static void a_recorded_block_whose_address_is_given_to_another_ends(void **state)
{
	struct size_filter s = range(10, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	assert_int_equal(tell_of(&s, &e, AE_ALLOC, 0x1000, 0, 9, true), 1);
	assert_int_equal(e.kind, AE_FREE);
	assert_int_equal(e.call, CALL_FREE);
	assert_true(e.by_allocator);
	assert_int_equal(tell_of(&s, &e, AE_ALLOC, 0x1000, 0, 10, true), 1);
	assert_int_equal(e.kind, AE_ALLOC);
	assert_int_equal(s.requests, 1);
	size_filter_release(&s);
}

static void frees_of_what_is_not_recorded_are_counted_and_no_unknown_ones(void **state)
{
	struct size_filter s = range(10, UINT64_MAX);
	struct alloc_event e = { .kind = AE_FREE, .ptr = 0x1000, .by_allocator = true };

	(void)state;
	assert_int_equal(size_filter_event(&s, &e, false), 0);
	assert_int_equal(s.frees, 0); /* nor is that one the program's */
	assert_int_equal(tell(&s, &e, AE_FREE, 0x1000, 0, 0), 0);
	assert_int_equal(s.frees, 1);
	assert_int_equal(tell(&s, &e, AE_FREE, 0, 0, 0), 1); /* of no block */
	assert_int_equal(tell_of(&s, &e, AE_FREE, 0x1000, 0, 0, true), 1);
	assert_int_equal(s.frees, 1);
	size_filter_release(&s);
}

static void a_block_that_grows_into_the_range_is_an_allocation(void **state)
{
	struct size_filter s = range(10, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_MOVED, 0x2000, 0x1000, 10), 1);
	assert_int_equal(e.kind, AE_ALLOC);
	assert_int_equal(e.old_ptr, 0);
	assert_int_equal(tell_of(&s, &e, AE_FREE, 0x2000, 0, 0, true), 1);
	assert_int_equal(s.n_held, 0);
	size_filter_release(&s);
}

static void a_block_that_shrinks_out_of_the_range_is_freed(void **state)
{
	struct size_filter s = range(10, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	assert_int_equal(tell_of(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0, true), 1);
	assert_int_equal(tell(&s, &e, AE_REALLOC_MOVED, 0x1000, 0x1000, 9), 1);
	assert_int_equal(e.kind, AE_REALLOC_FREED);
	assert_int_equal(tell(&s, &e, AE_FREE, 0x1000, 0, 0), 0);
	assert_int_equal(s.requests, 1);
	size_filter_release(&s);
}

static void what_is_not_recorded_is_not_by_a_realloc_that_fails(void **state)
{
	struct size_filter s = range(10, 20);
	struct alloc_event e;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0), 0);
		assert_int_equal(tell(&s, &e, i ? AE_REALLOC_FREED : AE_REALLOC_BACK, 0, 0x1000, 0),
				 0);
	}
	assert_int_equal(s.n_held, 0);
	/* Those of blocks that are recorded pass. */
	assert_int_equal(tell_of(&s, &e, AE_REALLOC_BEGIN, 0, 0x5000, 0, true), 1);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BACK, 0, 0x5000, 0), 1);
	assert_int_equal(tell_of(&s, &e, AE_REALLOC_BEGIN, 0, 0x5000, 0, true), 1);
	assert_int_equal(tell(&s, &e, AE_REALLOC_FREED, 0, 0x5000, 0), 1);
	size_filter_release(&s);
}

static void each_task_has_its_own_realloc(void **state)
{
	struct size_filter s = range(10, 20);
	struct alloc_event e = { .kind = AE_REALLOC_BEGIN, .task = 8, .old_ptr = 0x1000 };

	(void)state;
	assert_int_equal(size_filter_event(&s, &e, false), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_MOVED, 0x2000, 0x1000, 15), 1);
	assert_int_equal(e.kind, AE_REALLOC_MOVED);
	e = (struct alloc_event){ .kind = AE_REALLOC_MOVED, .task = 8, .ptr = 0x3000,
				  .old_ptr = 0x1000, .size = 15 };
	assert_int_equal(size_filter_event(&s, &e, false), 1);
	assert_int_equal(e.kind, AE_ALLOC);
	size_filter_release(&s);
}

static void an_announced_block_is_another_than_the_one_it_was_cut_from(void **state)
{
	struct size_filter s = range(0, 100);
	struct alloc_event e = { .kind = AE_REALLOC_BEGIN, .task = 7, .old_ptr = 0x1000,
				 .announced = true };

	(void)state;
	assert_int_equal(size_filter_event(&s, &e, false), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BACK, 0, 0x1000, 0), 1);
	e = (struct alloc_event){ .kind = AE_REALLOC_BACK, .task = 7, .old_ptr = 0x1000,
				  .announced = true };
	assert_int_equal(size_filter_event(&s, &e, false), 0);
	size_filter_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_the_range_are_in_it),
		cmocka_unit_test(without_limits_everything_passes_unchanged),
		cmocka_unit_test(a_recorded_block_whose_address_is_given_to_another_ends),
		cmocka_unit_test(frees_of_what_is_not_recorded_are_counted_and_no_unknown_ones),
		cmocka_unit_test(a_block_that_grows_into_the_range_is_an_allocation),
		cmocka_unit_test(a_block_that_shrinks_out_of_the_range_is_freed),
		cmocka_unit_test(what_is_not_recorded_is_not_by_a_realloc_that_fails),
		cmocka_unit_test(each_task_has_its_own_realloc),
		cmocka_unit_test(an_announced_block_is_another_than_the_one_it_was_cut_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
