/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetching changes nothing, whatever is announced; and it is asked for only if there is
 * something to gain. */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/profile.h"

enum { MANY = 1 << 15 };

static void alloc(struct profile *p, taddr at, uint64_t size)
{
	const struct alloc_event e = { .kind = AE_ALLOC, .task = 1, .time_ns = at, .ptr = at,
				       .size = size };
	struct block_change c;

	assert_int_equal(profile_event(p, &e, &c), 0);
}

static void it_is_wanted_of_a_large_profile(void **state)
{
	const struct alloc_expected x = { .ptr = 0x10 };
	struct profile *p = profile_new();

	(void)state;
	assert_false(profile_expect(p, &x, 1));
	alloc(p, 0x10, 8);
	assert_false(profile_expect(p, &x, 1));
	for (taddr i = 2; i < MANY; i++)
		alloc(p, 16 * i, 8);
	assert_true(profile_expect(p, &x, 1));
	profile_free(p);
}

static void anything_may_be_expected(void **state)
{
	struct alloc_expected x[100];
	struct profile *p = profile_new();
	uint64_t seed = 11;

	(void)state;
	for (taddr i = 1; i < MANY; i++)
		alloc(p, 16 * i, i % 100);
	const struct pd_totals before = p->totals;
	for (int turn = 0; turn < 1000; turn++) {
		unsigned n = (unsigned)(random_next(&seed) >> 40) % 101;

		for (unsigned i = 0; i < n; i++)
			x[i] = (struct alloc_expected){
				.ptr = random_next(&seed) >> random_next(&seed) % 64,
				.size = random_next(&seed) >> random_next(&seed) % 64,
				.node = (uint32_t)random_next(&seed),
			};
		assert_true(profile_expect(p, x, n));
	}
	assert_memory_equal(&before, &p->totals, sizeof before);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_wanted_of_a_large_profile),
		cmocka_unit_test(anything_may_be_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
