/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "lib/random.h"
#include "base/idindex.h"
#include "profile/live.h"

#include <stdlib.h>

static int put(struct live_table *t, taddr ptr, uint32_t leaf, uint32_t *was)
{
	struct live_slot block = { .ptr = ptr, .leaf = leaf }, before = { 0 };
	int known = live_put(t, &block, &before);

	if (known > 0)
		*was = before.leaf;
	return known;
}

static bool take(struct live_table *t, taddr ptr, uint32_t *leaf)
{
	struct live_slot block;
	bool known = live_take(t, ptr, &block);

	if (known)
		*leaf = block.leaf;
	return known;
}

static void a_block_is_known_from_put_to_take(void **state)
{
	struct live_table t = { 0 };
	uint32_t leaf = 99, was = 99;

	(void)state;
	assert_false(take(&t, 0x1000, &leaf)); /* of a table that never had one */
	assert_int_equal(put(&t, 0x1000, 7, &was), 0);
	assert_int_equal(t.table.n, 1);
	assert_int_equal(was, 99);
	assert_false(take(&t, 0x1001, &leaf));
	assert_true(take(&t, 0x1000, &leaf));
	assert_int_equal(leaf, 7);
	assert_int_equal(t.table.n, 0);
	assert_false(take(&t, 0x1000, &leaf));
	live_release(&t);
}

static void an_address_handed_out_again_tells_what_it_was(void **state)
{
	struct live_table t = { 0 };
	uint32_t leaf, was = 99;

	(void)state;
	assert_int_equal(put(&t, 0x1000, 7, &was), 0);
	assert_int_equal(put(&t, 0x1000, 8, &was), 1);
	assert_int_equal(was, 7);
	assert_int_equal(t.table.n, 1);
	assert_true(take(&t, 0x1000, &leaf));
	assert_int_equal(leaf, 8);
	assert_false(take(&t, 0x1000, &leaf));
	live_release(&t);
}

static void address_nought_is_never_known(void **state)
{
	struct live_table t = { 0 };
	uint32_t leaf, was;

	(void)state;
	assert_int_equal(put(&t, 0x1000, 7, &was), 0);
	assert_false(take(&t, 0, &leaf));
	assert_int_equal(t.table.n, 1);
	live_release(&t);
}

/* Addresses whose place in a table of 1024 slots is @home. */
static taddr next_at_home(taddr after, size_t home)
{
	do
		after += 16;
	while ((hash_mix(after) & 1023) != home);
	return after;
}

/* A run of blocks that collide, around the end of the table; any of them is removed first. */
static void blocks_that_collide_are_found_whichever_is_taken(void **state)
{
	enum { HOMES = 4, EACH = 4, N = HOMES * EACH };

	(void)state;
	for (unsigned first = 0; first < N; first++) {
		struct live_table t = { 0 };
		taddr at[N], last = 0;
		uint32_t leaf, was;

		for (unsigned i = 0; i < N; i++) {
			last = next_at_home(last, (1022 + i % HOMES) & 1023);
			at[i] = last;
			assert_int_equal(put(&t, at[i], i, &was), 0);
		}
		for (unsigned i = 0; i < N; i++) {
			/* each once: 7 and 16 have no common factor */
			unsigned k = (first + i * 7) % N;

			assert_true(take(&t, at[k], &leaf));
			assert_int_equal(leaf, k);
			assert_false(take(&t, at[k], &leaf));
		}
		assert_int_equal(t.table.n, 0);
		for (size_t i = 0; i <= t.table.mask; i++)
			assert_int_equal(addrtable_address(&t.table, i, sizeof(struct live_slot)),
					 0);
		live_release(&t);
	}
}

/* Against an array with a place for each of 4096 addresses. */
static void a_million_random_steps_agree_with_a_plain_array(void **state)
{
	enum { N = 4096, NONE = -1 };
	static int64_t model[N];
	struct live_table t = { 0 };
	size_t n = 0;

	(void)state;
	random_state = 21;
	for (int i = 0; i < N; i++)
		model[i] = NONE;
	for (int i = 0; i < 1000000; i++) {
		uint64_t r = random_word();
		size_t k = r % N;
		taddr at = 0x7f0000000000u + k * 16;
		uint32_t leaf = (uint32_t)(r >> 32), was = 0;

		if (r >> 16 & 1) {
			assert_int_equal(put(&t, at, leaf, &was), model[k] != NONE);
			if (model[k] != NONE)
				assert_int_equal(was, model[k]);
			n += model[k] == NONE;
			model[k] = leaf;
		} else {
			assert_int_equal(take(&t, at, &was), model[k] != NONE);
			if (model[k] != NONE)
				assert_int_equal(was, model[k]);
			n -= model[k] != NONE;
			model[k] = NONE;
		}
		assert_int_equal(t.table.n, n);
	}
	live_release(&t);
}

static void a_table_grows_and_forgets_nothing(void **state)
{
	enum { N = 300000 };
	struct live_table t = { 0 };
	uint32_t leaf, was;

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(put(&t, 0x600000000000u + 32ull * i, i, &was), 0);
	assert_int_equal(t.table.n, N);
	assert_true((t.table.mask & (t.table.mask + 1)) == 0 && t.table.mask > N);
	for (uint32_t i = 0; i < N; i++) {
		assert_true(take(&t, 0x600000000000u + 32ull * i, &leaf));
		assert_int_equal(leaf, i);
	}
	assert_int_equal(t.table.n, 0);
	live_release(&t);
}

static void a_copy_has_the_same_blocks_marked(void **state)
{
	struct live_table from = { 0 }, to;
	uint32_t leaf, was;

	(void)state;
	assert_int_equal(live_copy(&to, &from, 0x10000), 0);
	assert_int_equal(to.table.n, 0);
	assert_false(take(&to, 0x1000, &leaf));
	live_release(&to);

	for (uint32_t i = 1; i <= 3000; i++)
		assert_int_equal(put(&from, 16ull * i, i, &was), 0);
	assert_int_equal(live_copy(&to, &from, 0x10000), 0);
	assert_int_equal(to.table.n, from.table.n);
	for (uint32_t i = 1; i <= 3000; i++) {
		assert_true(take(&to, 16ull * i, &leaf));
		assert_int_equal(leaf, i | 0x10000);
		assert_true(take(&from, 16ull * i, &leaf)); /* each goes its own way */
		assert_int_equal(leaf, i);
	}
	assert_int_equal(put(&to, 16, 1, &was), 0);
	live_release(&from);
	live_release(&to);
	live_release(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_known_from_put_to_take),
		cmocka_unit_test(an_address_handed_out_again_tells_what_it_was),
		cmocka_unit_test(address_nought_is_never_known),
		cmocka_unit_test(blocks_that_collide_are_found_whichever_is_taken),
		cmocka_unit_test(a_million_random_steps_agree_with_a_plain_array),
		cmocka_unit_test(a_table_grows_and_forgets_nothing),
		cmocka_unit_test(a_copy_has_the_same_blocks_marked),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
