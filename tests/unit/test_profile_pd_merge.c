/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles added up: the result is a profile that can be written to a data file. */
#include "unit/unit.h"

#include "profile/datafile_check.h"
#include "profile/pd_merge.h"
#include "unit/pd_build.h"

#include <errno.h>

static struct profile_data *built(void)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	return d;
}

static void name_program(struct profile_data *d, const char *path, const char *build_id)
{
	d->modules = calloc(1, sizeof *d->modules);
	assert_non_null(d->modules);
	d->n_modules = 1;
	d->modules[0] = (struct pd_module){ strdup(path), strdup(build_id), strdup("") };
	d->program = 0;
	for (size_t i = 0; i < d->n_functions; i++)
		d->functions[i].module = 0;
	free(d->command);
	d->command = calloc(2, sizeof *d->command);
	d->command[0] = strdup(path);
}

static struct profile_data *merged(struct profile_data **d, size_t n)
{
	struct pd_merge *m = pd_merge_new();
	struct error e;

	assert_non_null(m);
	for (size_t i = 0; i < n; i++) {
		if (datafile_check(d[i], &e))
			fail_msg("profile %zu: %s", i, e.text);
		assert_int_equal(pd_merge_add(m, d[i]), 0);
	}
	struct profile_data *sum = pd_merge_finish(m);
	assert_non_null(sum);
	if (datafile_check(sum, &e))
		fail_msg("the sum: %s", e.text);
	for (size_t i = 0; i < n; i++)
		profile_data_free(d[i]);
	return sum;
}

static const struct pd_leaf *leaf_of_size(const struct profile_data *d, uint64_t size)
{
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].size == size)
			return &d->leaves[i];
	fail_msg("there is no leaf of %lu bytes", size);
	return NULL;
}

static void chains_that_are_the_same_are_added_up(void **state)
{
	(void)state;
	struct profile_data *d[2] = { built(), built() };

	pd_build_chain(d[0], "main+1 > f+2", 10, 5, 2);
	pd_build_chain(d[0], "main+1 > f+2", 20, 1, 0);
	pd_build_cut_chain(d[0], "f+2", 10, 3, 0);
	pd_build_finish(d[0]);
	/* The same function in another order, and one more. */
	pd_build_chain(d[1], "main+1 > f+2", 10, 7, 7);
	pd_build_chain(d[1], "main+1 > g+2", 30, 1, 1);
	pd_build_finish(d[1]);
	for (int i = 0; i < 2; i++)
		name_program(d[i], "/bin/a", "abc");
	d[0]->totals.unknown_frees = 3;
	d[1]->totals.unknown_frees = 4;
	d[0]->unseen.lost = 2;
	d[1]->unseen.taken = 1;
	d[0]->unseen.pauses = d[1]->unseen.pauses = 3;
	d[0]->unseen.paused_ns = 10;
	d[1]->unseen.paused_ns = 7;
	d[0]->totals.missed = 2;
	d[0]->totals.missed_bytes = 20;
	d[1]->totals.missed = 1;
	d[1]->totals.missed_bytes = 10;
	d[1]->totals.paused_frees = 5;
	d[0]->started_ns = 50;
	d[1]->started_ns = 40;
	d[0]->ended_ns = 60;
	struct profile_data *sum = merged(d, 2);

	assert_int_equal(sum->n_modules, 1);
	assert_int_equal(sum->n_functions, 3);
	assert_int_equal(sum->n_sites, 3);
	assert_int_equal(sum->n_nodes, 2 + 4);
	assert_int_equal(sum->n_leaves, 4);
	assert_int_equal(sum->totals.allocs, 17);
	assert_int_equal(sum->totals.frees, 10);
	assert_int_equal(sum->totals.alloc_bytes, 50 + 20 + 30 + 70 + 30);
	assert_int_equal(sum->totals.truncated_chains, 3);
	assert_int_equal(sum->totals.unknown_frees, 7);
	assert_int_equal(sum->unseen.lost, 2);
	assert_int_equal(sum->unseen.taken, 1);
	assert_int_equal(sum->unseen.untrapped, 0);
	assert_true(sum->unseen.pauses == 6 && sum->unseen.paused_ns == 17);
	assert_true(sum->totals.missed == 3 && sum->totals.missed_bytes == 30);
	assert_int_equal(sum->totals.paused_frees, 5);
	assert_int_equal(sum->started_ns, 40);
	assert_int_equal(sum->ended_ns, 60);
	assert_int_equal(sum->program, 0);
	assert_int_equal(sum->pid, 0);
	assert_string_equal(sum->command[0], "sum of 2 profiles");
	assert_string_equal(sum->command[1], "/bin/a");
	assert_null(sum->command[2]);
	uint64_t whole = 0;
	for (size_t i = 0; i < sum->n_leaves; i++)
		if (sum->leaves[i].size == 10 && sum->leaves[i].allocs == 12) {
			assert_int_equal(sum->leaves[i].frees, 9);
			whole++;
		}
	assert_int_equal(whole, 1);
	profile_data_free(sum);
}

static void what_was_spared_of_one_is_not_known_of_the_sum(void **state)
{
	(void)state;
	struct profile_data *d[2] = { built(), built() };

	for (int i = 0; i < 2; i++) {
		pd_build_chain(d[i], "main+1 > f+2", 10, 2, 1);
		pd_build_finish(d[i]);
		name_program(d[i], "/bin/a", "same");
	}
	d[0]->lifetimes = calloc(1, sizeof *d[0]->lifetimes);
	d[0]->n_lifetimes = 1;
	d[0]->lifetimes[0] = (struct pd_lifetime){ d[0]->leaves[0].node, PD_LIFE_NS, 3, 1 };
	d[0]->spared = (struct pd_spared){ .depth = 4 };
	d[1]->spared = (struct pd_spared){ 1, 1, 16 };
	d[1]->totals.truncated_chains = d[1]->totals.truncated_cut = 2;
	struct profile_data *sum = merged(d, 2);

	assert_int_equal(sum->n_lifetimes, 0);
	assert_true(sum->spared.lifetimes && sum->spared.timeline);
	assert_int_equal(sum->spared.depth, 4);
	assert_int_equal(sum->totals.truncated_cut, 2);
	profile_data_free(sum);
}

static void other_builds_and_files_stay_apart(void **state)
{
	(void)state;
	struct profile_data *d[3] = { built(), built(), built() };

	for (int i = 0; i < 3; i++) {
		pd_build_chain(d[i], "main+1 > f+2", 10, 1, 0);
		pd_build_finish(d[i]);
		name_program(d[i], i == 2 ? "/bin/b" : "/bin/a", i ? "new" : "old");
	}
	struct profile_data *sum = merged(d, 3);

	assert_int_equal(sum->n_modules, 3);
	assert_int_equal(sum->n_functions, 6);
	assert_int_equal(sum->n_leaves, 3);
	assert_int_equal(sum->program, PD_NONE);
	assert_string_equal(sum->command[1], "/bin/a");
	assert_string_equal(sum->command[2], "/bin/b");
	profile_data_free(sum);
}

static struct profile_data *of_program(const char *path)
{
	struct profile_data *d = built();

	pd_build_chain(d, "main+1 > f+2", 10, 1, 0);
	pd_build_finish(d);
	name_program(d, path, path);
	return d;
}

static void sums_in_a_sum_count_and_name_what_they_are_of(void **state)
{
	(void)state;
	struct profile_data *one[3] = { of_program("/bin/a"), of_program("/bin/b"),
					of_program("/bin/a") };
	struct profile_data *other[2] = { of_program("/bin/c"), of_program("/bin/b") };
	struct profile_data *d[3] = { merged(one, 3), merged(other, 2), of_program("/bin/d") };
	struct profile_data *sum = merged(d, 3);
	static const char *const command[] = { "sum of 6 profiles", "/bin/a", "/bin/b", "/bin/c",
					       "/bin/d" };

	for (size_t i = 0; i < 5; i++)
		assert_string_equal(sum->command[i], command[i]);
	assert_null(sum->command[5]);
	assert_int_equal(pd_merge_count(sum), 6);
	assert_int_equal(sum->totals.allocs, 6);
	profile_data_free(sum);
}

static void the_peak_is_the_highest_of_any_with_what_was_live_then(void **state)
{
	(void)state;
	static const uint64_t sizes[3][2] = { { 10, 30 }, { 30, 10 }, { 20, 10 } };

	/* Whichever comes first. */
	for (int first = 0; first < 3; first++) {
		struct profile_data *d[3];

		for (int i = 0; i < 3; i++) {
			d[i] = built();
			pd_build_chain(d[i], "main+1", sizes[(first + i) % 3][0], 3, 0);
			pd_build_chain(d[i], "main+1", sizes[(first + i) % 3][1], 1, 0);
			pd_build_finish(d[i]);
		}
		struct profile_data *sum = merged(d, 3);
		/* 60, 100 and 70 bytes */
		assert_int_equal(sum->totals.peak_bytes, 100);
		assert_int_equal(leaf_of_size(sum, 30)->at_peak, 3);
		assert_int_equal(leaf_of_size(sum, 10)->at_peak, 1);
		assert_int_equal(leaf_of_size(sum, 20)->at_peak, 0);
		profile_data_free(sum);
	}
}

static void types_and_lifetimes_are_joined(void **state)
{
	(void)state;
	struct profile_data *d[2] = { built(), built() };

	for (int i = 0; i < 2; i++) {
		uint32_t node = pd_build_path(d[i], PD_ROOT_WHOLE, "main+1");

		pd_build_chain(d[i], "main+1", 16, 4, 4);
		pd_build_finish(d[i]);
		d[i]->lifetimes = calloc(1, sizeof *d[i]->lifetimes);
		d[i]->n_lifetimes = 1;
		d[i]->lifetimes[0] = (struct pd_lifetime){ node, PD_LIFE_TEMPORARY, 0, 3 };
		d[i]->site_types = calloc(1, sizeof *d[i]->site_types);
		d[i]->n_site_types = 1;
		d[i]->site_types[0] = (struct pd_site_type){
			node, PD_HOW_VARIABLE, 1, 16, strdup(i ? "struct b" : "struct a") };
	}
	pd_build_type(d[0], 16, "struct a", 0);
	pd_build_type(d[0], 16, "struct c", 1);
	pd_build_type(d[1], 16, "struct c", 0);
	pd_build_type(d[1], 16, "struct b", 1);
	struct profile_data *sum = merged(d, 2);

	assert_int_equal(sum->n_lifetimes, 1);
	assert_int_equal(sum->lifetimes[0].blocks, 6);
	/* Each was certain of another. */
	assert_int_equal(sum->n_site_types, 2);
	assert_int_equal(sum->site_types[0].certain, 0);
	assert_int_equal(sum->n_types, 3);
	assert_string_equal(sum->types[1].name, "struct c");
	assert_int_equal(sum->types[1].rank, 0);
	profile_data_free(sum);
}

/* One whose heap has been looked at, before and at the end. */
static struct profile_data *looked_at(void)
{
	struct profile_data *d = built();

	pd_build_chain(d, "main+1", 16, 4, 1);
	pd_build_finish(d);
	d->leaves[0].reach[PD_LOST] = 2;
	d->reach.known = 1;
	d->reach.sums[PD_LOST] = (struct pd_sum){ 3, 72 };
	d->before.how = BEFORE_WALKED;
	d->before.bins = calloc(2, sizeof *d->before.bins);
	d->before.n_bins = 2;
	d->before.bins[0] = (struct pd_before_bin){ 24, 5, 2, 1 };
	d->before.bins[1] = (struct pd_before_bin){ 40, 1, 0, 0 };
	d->before.blocks = 6;
	d->before.bytes = 160;
	d->before.freed_bytes = 48;
	d->before.missed = 1;
	d->before.missed_bytes = 24;
	d->totals.before_frees = 2;
	return d;
}

static void every_engine_of_a_sum_is_told_and_none_is_guessed(void **state)
{
	(void)state;
	for (uint32_t a = 0; a <= PD_ENGINE_FAST; a++)
		for (uint32_t b = 0; b <= PD_ENGINE_FAST; b++) {
			struct profile_data *both[2] = { built(), built() };

			both[0]->engines = a;
			both[1]->engines = b;
			struct profile_data *sum = merged(both, 2);

			assert_int_equal(sum->engines,
					 a | b | (a && b ? 0 : PD_ENGINE_UNTOLD));
			profile_data_free(sum);
		}
}

/* What was not seen of one is not seen in the sum, wherever it stands. */
static void a_sum_says_if_nothing_was_trapped_in_one_of_its_profiles(void **state)
{
	(void)state;
	for (unsigned which = 0; which < 8; which++) {
		struct profile_data *d[3] = { built(), built(), built() };

		for (unsigned i = 0; i < 3; i++)
			d[i]->unseen.untrapped = which >> i & 1;
		struct profile_data *sum = merged(d, 3);

		assert_int_equal(sum->unseen.untrapped, which != 0);
		profile_data_free(sum);
	}
}

static void where_a_sum_begins_is_told_if_all_begin_there(void **state)
{
	(void)state;
	for (uint32_t a = PD_FROM_UNKNOWN; a <= PD_FROM_ATTACH; a++)
		for (uint32_t b = PD_FROM_UNKNOWN; b <= PD_FROM_ATTACH; b++) {
			struct profile_data *both[2] = { built(), built() };

			both[0]->from = a;
			both[1]->from = b;
			struct profile_data *sum = merged(both, 2);

			assert_int_equal(sum->from, a == b ? a : PD_FROM_UNKNOWN);
			profile_data_free(sum);
		}
}

static void what_was_before_and_is_lost_is_told_of_all_or_not(void **state)
{
	(void)state;
	struct profile_data *both[2] = { looked_at(), looked_at() };
	struct profile_data *sum = merged(both, 2);

	assert_int_equal(sum->reach.known, 1);
	assert_int_equal(sum->reach.sums[PD_LOST].bytes, 144);
	assert_int_equal(sum->leaves[0].reach[PD_LOST], 4);
	assert_int_equal(sum->before.how, BEFORE_WALKED);
	assert_int_equal(sum->before.n_bins, 2);
	assert_int_equal(sum->before.bins[0].blocks, 10);
	assert_int_equal(sum->totals.before_frees, 4);
	profile_data_free(sum);
	for (int counted = 0; counted < 2; counted++) {
		struct profile_data *one[2] = { looked_at(), built() };

		if (counted)
			one[1]->before = (struct pd_before){ .how = BEFORE_COUNTED, .blocks = 7,
							     .bytes = 70 };
		sum = merged(one, 2);
		assert_int_equal(sum->reach.known, 0);
		assert_int_equal(sum->leaves[0].reach[PD_LOST], 0);
		assert_int_equal(sum->before.how, counted ? BEFORE_COUNTED : BEFORE_UNKNOWN);
		assert_int_equal(sum->before.blocks, counted ? 13 : 0);
		assert_int_equal(sum->totals.before_frees, 0);
		assert_int_equal(sum->totals.unknown_frees, 2);
		profile_data_free(sum);
	}
}

static void sums_that_are_too_large_are_refused(void **state)
{
	(void)state;
	struct profile_data *d = built();
	struct pd_merge *m = pd_merge_new();

	pd_build_chain(d, "main+1", UINT64_MAX / 2 + 1, 1, 0);
	pd_build_finish(d);
	assert_int_equal(pd_merge_add(m, d), 0);
	assert_int_equal(pd_merge_add(m, d), -EOVERFLOW);
	pd_merge_free(m);
	profile_data_free(d);
	pd_merge_free(NULL);
}

/* Each number of them fits, but not all of the file together. */
static void sums_that_no_file_can_have_are_refused(void **state)
{
	(void)state;
	for (int bins = 0; bins < 2; bins++) {
		struct profile_data *d[2] = { built(), built() };
		struct pd_merge *m = pd_merge_new();
		struct error e;

		for (int i = 0; i < 2; i++) {
			const struct pd_sum half = { 1, UINT64_MAX / 2 + 1 };

			if (!bins) {
				d[i]->reach.known = 1;
				d[i]->reach.sums[i ? PD_LOST : PD_REACHABLE] = half;
			} else {
				d[i]->before = (struct pd_before){ .how = BEFORE_WALKED,
					.blocks = half.bytes, .n_bins = 1 };
				d[i]->before.bins = calloc(1, sizeof *d[i]->before.bins);
				d[i]->before.bins[0].blocks = half.bytes;
			}
			assert_int_equal(datafile_check(d[i], &e), 0);
			assert_int_equal(pd_merge_add(m, d[i]), i ? -EOVERFLOW : 0);
			profile_data_free(d[i]);
		}
		pd_merge_free(m);
	}
}

static uint64_t seed = 42;

static unsigned below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* Any order, and sums of sums, give the same result. */
static void the_order_does_not_matter(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct profile_data *a[4], *b[4], *c[2], *d[2];
		char chain[64];

		for (int i = 0; i < 4; i++) {
			a[i] = built();
			b[3 - i] = built();
			int n = (int)below(20);
			for (int k = 0; k < n; k++) {
				unsigned allocs = below(9), size = 1 + below(5);
				unsigned frees = below(allocs + 1);

				snprintf(chain, sizeof chain, "m+1 > f%u+2 > g%u+3", below(3),
					 below(3));
				/* Functions have the addresses that they have in all. */
				for (int which = 0; which < 2; which++) {
					struct profile_data *to = which ? b[3 - i] : a[i];

					pd_build_path(to, PD_ROOT_WHOLE,
						      "m > f0 > f1 > f2 > g0 > g1 > g2");
					pd_build_chain(to, chain, size, allocs, frees);
				}
			}
			pd_build_finish(a[i]);
			pd_build_finish(b[3 - i]);
		}
		c[0] = merged(b, 2);
		c[1] = merged(b + 2, 2);
		d[0] = merged(a, 4);
		d[1] = merged(c, 2);
		assert_int_equal(d[0]->n_leaves, d[1]->n_leaves);
		assert_int_equal(d[0]->n_nodes, d[1]->n_nodes);
		assert_int_equal(d[0]->n_functions, d[1]->n_functions);
		assert_memory_equal(&d[0]->totals, &d[1]->totals, sizeof d[0]->totals);
		profile_data_free(d[0]);
		profile_data_free(d[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_that_are_the_same_are_added_up),
		cmocka_unit_test(what_was_spared_of_one_is_not_known_of_the_sum),
		cmocka_unit_test(other_builds_and_files_stay_apart),
		cmocka_unit_test(sums_in_a_sum_count_and_name_what_they_are_of),
		cmocka_unit_test(the_peak_is_the_highest_of_any_with_what_was_live_then),
		cmocka_unit_test(types_and_lifetimes_are_joined),
		cmocka_unit_test(every_engine_of_a_sum_is_told_and_none_is_guessed),
		cmocka_unit_test(a_sum_says_if_nothing_was_trapped_in_one_of_its_profiles),
		cmocka_unit_test(where_a_sum_begins_is_told_if_all_begin_there),
		cmocka_unit_test(what_was_before_and_is_lost_is_told_of_all_or_not),
		cmocka_unit_test(sums_that_are_too_large_are_refused),
		cmocka_unit_test(sums_that_no_file_can_have_are_refused),
		cmocka_unit_test(the_order_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
