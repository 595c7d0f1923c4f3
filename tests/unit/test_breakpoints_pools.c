/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks are in which pool, against a simple table. */
#include "unit/unit.h"
#include "lib/random.h"
#include "breakpoints/pools.h"

#include <string.h>

enum { BLOCKS = 64, POOLS = 5 };

static void a_pool_gives_its_blocks_back_the_last_first_and_others_keep_theirs(void **state)
{
	struct pools p = { 0 };

	(void)state;
	assert_int_equal(pools_take(&p, 7), 0);
	pools_drop(&p, 100);
	assert_int_equal(pools_put(&p, 7, 100), 0);
	assert_int_equal(pools_put(&p, 7, 101), 0);
	assert_int_equal(pools_put(&p, 8, 102), 0);
	assert_int_equal(pools_put(&p, 7, 103), 0);
	pools_drop(&p, 101);
	assert_int_equal(pools_take(&p, 7), 103);
	assert_int_equal(pools_take(&p, 7), 100);
	assert_int_equal(pools_take(&p, 7), 0);
	assert_int_equal(pools_take(&p, 8), 102);
	pools_release(&p);
}

static void a_block_is_in_the_pool_that_gave_it_last(void **state)
{
	struct pools p = { 0 };

	(void)state;
	assert_int_equal(pools_put(&p, 7, 100), 0);
	assert_int_equal(pools_put(&p, 8, 100), 0);
	assert_int_equal(pools_take(&p, 7), 0);
	assert_int_equal(pools_take(&p, 8), 100);
	pools_release(&p);
}

/* All of a pool's blocks come out, and each once. */
static void assert_takes_all(struct pools *p, uint8_t where[BLOCKS], uint8_t pool)
{
	taddr block;

	while ((block = pools_take(p, pool))) {
		assert_in_range(block, 1000, 1000 + BLOCKS - 1);
		assert_int_equal(where[block - 1000], pool);
		where[block - 1000] = 0;
	}
	for (int i = 0; i < BLOCKS; i++)
		assert_int_not_equal(where[i], pool);
}

static void whatever_is_done_a_pool_has_what_was_put_and_not_dropped(void **state)
{
	struct pools p = { 0 }, copy = { 0 };
	uint8_t where[BLOCKS] = { 0 }, there[BLOCKS];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		unsigned b = random_word() % BLOCKS;
		uint8_t pool = (uint8_t)(1 + random_word() % POOLS);

		if (random_word() % 64 == 0) {
			assert_takes_all(&p, where, pool);
		} else if (random_word() % 3 == 0) {
			pools_drop(&p, 1000 + b);
			where[b] = 0;
		} else {
			assert_int_equal(pools_put(&p, pool, 1000 + b), 0);
			where[b] = pool;
		}
	}
	assert_int_equal(pools_copy(&copy, &p), 0);
	memcpy(there, where, sizeof there);
	for (uint8_t pool = 1; pool <= POOLS; pool++)
		assert_takes_all(&p, where, pool);
	for (uint8_t pool = 1; pool <= POOLS; pool++)
		assert_takes_all(&copy, there, pool);
	pools_release(&p);
	pools_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_pool_gives_its_blocks_back_the_last_first_and_others_keep_theirs),
		cmocka_unit_test(a_block_is_in_the_pool_that_gave_it_last),
		cmocka_unit_test(whatever_is_done_a_pool_has_what_was_put_and_not_dropped),
	};

	return cmocka_run_group_tests_name("pools", tests, NULL, NULL);
}
