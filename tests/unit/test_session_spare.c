/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles that may use no more memory than a limit. */
#include "unit/scripted_observer.h"
#include "lib/random.h"

#include "session/memory_limit.h"
#include "session/spare.h"

enum { DEPTH = 40, EVENTS = 40000, S = 1000000000 };

static const struct session_settings settings = { .trace_children = true,
						  .max_memory = UINT64_C(4) << 20 };

/* A request by a chain that hardly any other has, at second @n. */
static void request(struct image *i, uint64_t n, uint64_t *seed)
{
	const uint64_t way = random_next(seed);
	uint32_t frames[DEPTH];

	for (unsigned k = 0; k < DEPTH; k++)
		frames[k] = session_sink.frame(i, NO_FILE, 0x400000 + 2 * k + (way >> k & 1), false,
					       false);
	struct alloc_event e = { .kind = AE_ALLOC, .task = i->pid, .ptr = 0x10000 + n * 16,
				 .size = 24, .time_ns = n * S + 5,
				 .chain = { .frames = frames, .n = DEPTH } };

	assert_int_equal(session_sink.event(i, &e), 0);
	if (n % 8) {
		struct alloc_event f = { .kind = AE_FREE, .task = i->pid, .ptr = e.ptr,
					 .time_ns = n * S + 6 };

		assert_int_equal(session_sink.event(i, &f), 0);
	}
}

static void very_many_chains_keep_to_the_limit_and_all_is_counted(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);
	uint64_t seed = 1, leaves = 0, frees = 0;

	(void)state;
	for (uint64_t n = 0; n < EVENTS; n++) {
		request(i, n, &seed);
		if (spare_used(s) > settings.max_memory)
			fail_msg("%ju bytes at request %ju", (uintmax_t)spare_used(s),
				 (uintmax_t)n);
	}
	const struct profile *p = i->profile;

	assert_in_range(s->spare_step, MEMORY_CUT_16, MEMORY_CUT_1);
	assert_non_null(strstr(script.said, "of the 4.0 MiB of --max-memory: new chains are cut"));
	assert_int_equal(p->totals.allocs, EVENTS);
	assert_int_equal(p->totals.frees, EVENTS - EVENTS / 8);
	assert_int_equal(p->live_bytes, EVENTS / 8 * 24);
	for (size_t k = 0; k < p->n_leaves; k++) {
		leaves += p->leaves[k].allocs;
		frees += p->leaves[k].frees;
	}
	assert_int_equal(leaves, EVENTS);
	assert_int_equal(frees, EVENTS - EVENTS / 8);
	assert_in_range(p->totals.truncated_cut, EVENTS / 2, EVENTS);
	assert_int_equal(p->totals.truncated_chains, p->totals.truncated_cut);
	session_release(s);
}

static void without_a_limit_the_same_takes_many_times_as_much(void **state)
{
	struct session *s = begin(true);
	struct image *i = start(s, ROOT);
	uint64_t seed = 1;

	(void)state;
	for (uint64_t n = 0; n < EVENTS; n++)
		request(i, n, &seed);
	assert_true(spare_used(s) > 8 * settings.max_memory);
	assert_int_equal(i->profile->totals.truncated_chains, 0);
	assert_string_equal(script.said, "");
	session_release(s);
}

static void all_processes_together_keep_to_it_and_begin_with_what_is_left(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);
	uint64_t seed = 2;

	(void)state;
	struct image *forked = fork_from(s, i, CHILD);

	for (uint64_t n = 0; !i->profile->spared.depth; n++)
		request(n % 2 ? forked : i, n, &seed);
	assert_int_equal(forked->profile->spared.depth, 16);
	struct image *other = start(s, CHILD + 1);

	assert_int_equal(other->profile->spared.depth, 16);
	for (uint64_t n = 0; n < EVENTS / 2; n++) {
		request(n % 2 ? forked : other, n, &seed);
		if (spare_used(s) > settings.max_memory)
			fail_msg("%ju bytes at request %ju", (uintmax_t)spare_used(s),
				 (uintmax_t)n);
	}
	assert_true(other->profile->spared.depth < 16);
	assert_int_equal(i->profile->spared.depth, other->profile->spared.depth);
	session_release(s);
}

static void a_copy_by_fork_is_looked_at_when_it_is_made(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);
	uint64_t seed = 3;

	(void)state;
	while (!i->profile->spared.depth)
		request(i, i->events, &seed);
	const unsigned step = s->spare_step;

	assert_non_null(fork_from(s, i, CHILD));
	assert_true(s->spare_step > step);
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(very_many_chains_keep_to_the_limit_and_all_is_counted),
		cmocka_unit_test(without_a_limit_the_same_takes_many_times_as_much),
		cmocka_unit_test(all_processes_together_keep_to_it_and_begin_with_what_is_left),
		cmocka_unit_test(a_copy_by_fork_is_looked_at_when_it_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
