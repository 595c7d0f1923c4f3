/* SPDX-License-Identifier: BSD-2-Clause */
/* Which requests are recorded, by their size. */
#include "unit/unit.h"
#include "profile/sieve.h"

#include <stdlib.h>

static struct sieve range(uint64_t min, uint64_t max)
{
	return (struct sieve){ .min = min, .max = max };
}

static int tell(struct sieve *s, struct alloc_event *e, enum alloc_event_kind kind, taddr ptr, taddr old,
		uint64_t size)
{
	*e = (struct alloc_event){ .kind = kind, .task = 7, .ptr = ptr, .old_ptr = old, .size = size };
	return sieve_event(s, e);
}

static void both_ends_of_the_range_are_in_it(void **state)
{
	struct sieve s = range(10, 20);
	struct alloc_event e;

	(void)state;
	for (uint64_t size = 8; size < 23; size++) {
		assert_int_equal(tell(&s, &e, AE_ALLOC, 0x1000 + size * 64, 0, size), 1);
		/* One that is not recorded ends a recorded block of this address, if there is one. */
		assert_int_equal(e.kind, size >= 10 && size <= 20 ? AE_ALLOC : AE_FREE);
		assert_int_equal(e.by_allocator, e.kind == AE_FREE);
		assert_int_equal(e.call, e.kind == AE_FREE ? CALL_FREE : CALL_MALLOC);
	}
	for (uint64_t size = 8; size < 23; size++) {
		assert_int_equal(tell(&s, &e, AE_FREE, 0x1000 + size * 64, 0, 0), size >= 10 && size <= 20);
		assert_int_equal(tell(&s, &e, AE_FAILED, 0, 0, size), size >= 10 && size <= 20);
	}
	assert_int_equal(s.dropped.table.n, 0);
	sieve_release(&s);
}

static void without_limits_everything_passes_unchanged(void **state)
{
	struct sieve s = range(0, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	assert_true(sieve_is_open(&s));
	assert_int_equal(tell(&s, &e, AE_ALLOC, 0x1000, 0, UINT64_MAX), 1);
	assert_int_equal(e.kind, AE_ALLOC);
	assert_int_equal(s.dropped.table.n, 0);
	sieve_release(&s);
}

static void a_block_that_grows_into_the_range_is_an_allocation(void **state)
{
	struct sieve s = range(10, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	tell(&s, &e, AE_ALLOC, 0x1000, 0, 9);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_MOVED, 0x2000, 0x1000, 10), 1);
	assert_int_equal(e.kind, AE_ALLOC);
	assert_int_equal(e.old_ptr, 0);
	assert_int_equal(tell(&s, &e, AE_FREE, 0x2000, 0, 0), 1);
	assert_int_equal(s.dropped.table.n, 0);
	assert_int_equal(s.n_held, 0);
	sieve_release(&s);
}

static void a_block_that_shrinks_out_of_the_range_is_freed(void **state)
{
	struct sieve s = range(10, UINT64_MAX);
	struct alloc_event e;

	(void)state;
	assert_int_equal(tell(&s, &e, AE_ALLOC, 0x1000, 0, 30), 1);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0), 1);
	assert_int_equal(tell(&s, &e, AE_REALLOC_MOVED, 0x1000, 0x1000, 9), 1);
	assert_int_equal(e.kind, AE_REALLOC_FREED);
	assert_int_equal(tell(&s, &e, AE_FREE, 0x1000, 0, 0), 0);
	sieve_release(&s);
}

static void a_dropped_block_stays_dropped_through_a_realloc_that_fails(void **state)
{
	struct sieve s = range(10, 20);
	struct alloc_event e;

	(void)state;
	tell(&s, &e, AE_ALLOC, 0x1000, 0, 30);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BACK, 0, 0x1000, 0), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x1000, 0), 0);
	assert_int_equal(tell(&s, &e, AE_REALLOC_FREED, 0, 0x1000, 0), 0);
	assert_int_equal(tell(&s, &e, AE_FREE, 0x1000, 0, 0), 1); /* now it is unknown to all */
	/* Those of blocks that are recorded, or unknown, pass. */
	assert_int_equal(tell(&s, &e, AE_REALLOC_BEGIN, 0, 0x5000, 0), 1);
	assert_int_equal(tell(&s, &e, AE_REALLOC_BACK, 0, 0x5000, 0), 1);
	sieve_release(&s);
}

static void an_announced_block_is_another_than_the_one_it_was_cut_from(void **state)
{
	struct sieve s = range(0, 100);
	struct alloc_event e = { .kind = AE_ALLOC, .ptr = 0x1000, .size = 4096 };

	(void)state;
	sieve_event(&s, &e);
	e = (struct alloc_event){ .kind = AE_FREE, .ptr = 0x1000, .announced = true };
	assert_int_equal(sieve_event(&s, &e), 1);
	e.announced = false;
	assert_int_equal(sieve_event(&s, &e), 0);
	sieve_release(&s);
}

static void a_forked_process_knows_the_same_blocks(void **state)
{
	struct sieve s = range(0, 100), child;
	struct alloc_event e;

	(void)state;
	tell(&s, &e, AE_ALLOC, 0x1000, 0, 200);
	assert_int_equal(sieve_fork(&child, &s), 0);
	assert_int_equal(tell(&child, &e, AE_FREE, 0x1000, 0, 0), 0);
	assert_int_equal(tell(&s, &e, AE_FREE, 0x1000, 0, 0), 0);
	sieve_release(&s);
	sieve_release(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_the_range_are_in_it),
		cmocka_unit_test(without_limits_everything_passes_unchanged),
		cmocka_unit_test(a_block_that_grows_into_the_range_is_an_allocation),
		cmocka_unit_test(a_block_that_shrinks_out_of_the_range_is_freed),
		cmocka_unit_test(a_dropped_block_stays_dropped_through_a_realloc_that_fails),
		cmocka_unit_test(an_announced_block_is_another_than_the_one_it_was_cut_from),
		cmocka_unit_test(a_forked_process_knows_the_same_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
