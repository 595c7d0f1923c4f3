/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trees with random options: everything counted at a node stays together. */
#include "unit/unit.h"
#include "lib/random.h"
#include "unit/pd_build.h"

#include "naming/view.h"
#include "profile/pd_names.h"
#include "profile/pd_windows.h"

enum { N_TREES = 3000, N_FUNCTIONS = 9, N_LEAVES = 30, DEEPEST = 6 };

static const char *const names[N_FUNCTIONS] = { "main", "f", "g", "xm", "xcalloc", "malloc",
						"calloc", "operator", "h" };

static uint32_t random_node(struct profile_data *d)
{
	uint32_t node = random_below(8) ? PD_ROOT_WHOLE : PD_ROOT_TRUNCATED;

	for (uint32_t depth = random_below(DEEPEST + 1); depth; depth--) {
		const char *name = names[random_below(N_FUNCTIONS)];
		/* The outermost function of a chain is never an inlined one. */
		uint64_t offset = random_below(node < PD_FIRST_NODE ? 2 : 3);
		uint32_t site = pd_build_site(d, name, offset);

		d->sites[site].inlined = offset == 2;
		node = pd_build_node(d, node, site);
	}
	return node;
}

static void add_lifetimes(struct profile_data *d, uint32_t node, uint64_t frees)
{
	for (uint8_t axis = 0; axis < PD_LIFE_AXES; axis++) {
		uint64_t first = axis == PD_LIFE_TEMPORARY ? frees : random_below(frees + 1);
		uint64_t blocks[] = { first, frees - first };

		for (uint8_t i = 0; i < 2; i++) {
			if (!blocks[i])
				continue;
			d->lifetimes = pd_build_grow(d->lifetimes, d->n_lifetimes,
						     sizeof *d->lifetimes);
			d->lifetimes[d->n_lifetimes++] = (struct pd_lifetime){
				.node = node, .axis = axis, .bucket = (uint8_t)(i * 7),
				.blocks = blocks[i],
			};
		}
	}
}

/* All that was requested came in one window, and stayed. */
static void add_windows(struct profile_data *d, uint32_t node, uint64_t allocs)
{
	uint32_t i = (uint32_t)random_below(d->windows_over - 1);

	d->windows = pd_build_grow(d->windows, d->n_windows + 1, sizeof *d->windows);
	d->windows[d->n_windows++] = (struct pd_window){ node, i, allocs, 0, allocs, 0, allocs };
	d->windows[d->n_windows++] =
		(struct pd_window){ node, i + 1, 0, allocs, allocs, allocs, allocs };
	d->survivors = pd_build_grow(d->survivors, d->n_survivors, sizeof *d->survivors);
	d->survivors[d->n_survivors++] = (struct pd_survivor){ node, i, allocs, allocs };
}

static struct profile_data *random_profile(void)
{
	struct profile_data *d = profile_data_new();

	for (uint32_t i = random_below(N_LEAVES); i; i--) {
		uint64_t allocs = 1 + random_below(9), size = 1 + random_below(5);

		pd_build_leaf(d, random_node(d), size, allocs, random_below(allocs + 1));
	}
	pd_build_finish(d);
	d->window_ns = 1;
	d->windows_over = 40;
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint32_t node = d->leaves[i].node;
		uint64_t frees = 0, allocs = 0;

		for (; i < d->n_leaves && d->leaves[i].node == node; i++) {
			frees += d->leaves[i].frees;
			allocs += d->leaves[i].allocs;
		}
		i--;
		add_lifetimes(d, node, frees);
		add_windows(d, node, allocs);
	}
	return d;
}

/* What is at the end of a chain: its innermost function, or behind all of them which root. */
static size_t end_of(const struct profile_data *d, uint32_t node)
{
	return node < PD_FIRST_NODE ? d->n_functions + node :
				      names_function(d, d->nodes[node].site);
}

/* At the end of the last window there was all that has been requested, wherever it counts now. */
static void assert_windows_agree(const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_leaves;) {
		struct trend_series s = pd_windows_series(d);
		uint32_t node = d->leaves[i].node, last = d->windows_over - 1;
		uint64_t allocs = 0, births = 0, survivors = 0;

		for (; i < d->n_leaves && d->leaves[i].node == node; i++)
			allocs += d->leaves[i].allocs;
		pd_windows_add(d, node, &s);
		for (uint32_t k = 0; k < s.n; k++) {
			births += s.births[k];
			survivors += s.survivors[k];
			assert_true(!k || s.high[k] >= s.high[k - 1]);
		}
		assert_int_equal(births, allocs);
		assert_int_equal(survivors, allocs);
		assert_int_equal(s.low[last], allocs);
		assert_int_equal(s.high_bytes[last], allocs);
	}
	for (size_t i = 1; i < d->n_windows; i++)
		assert_true(d->windows[i - 1].node < d->windows[i].node ||
			    (d->windows[i - 1].node == d->windows[i].node &&
			     d->windows[i - 1].i < d->windows[i].i));
}

static void assert_counts_agree(const struct profile_data *d)
{
	size_t n = d->n_functions + PD_FIRST_NODE;
	uint64_t *frees = calloc(n, sizeof *frees), sum = 0;
	uint64_t(*lived)[PD_LIFE_AXES] = calloc(n, sizeof *lived);

	assert_true(frees && lived);
	for (size_t i = 0; i < d->n_leaves; i++) {
		assert_true(d->leaves[i].node < d->n_nodes);
		frees[end_of(d, d->leaves[i].node)] += d->leaves[i].frees;
		sum += d->leaves[i].frees;
	}
	assert_int_equal(sum, d->totals.frees);
	for (size_t i = 0; i < d->n_lifetimes; i++) {
		const struct pd_lifetime *l = &d->lifetimes[i];

		assert_true(l->node < d->n_nodes);
		lived[end_of(d, l->node)][l->axis] += l->blocks;
		/* Each once, in order, as datafile_check wants them. */
		assert_true(!i || l[-1].node < l->node ||
			    (l[-1].node == l->node &&
			     (l[-1].axis < l->axis ||
			      (l[-1].axis == l->axis && l[-1].bucket < l->bucket))));
	}
	for (size_t i = 0; i < n; i++)
		for (int axis = 0; axis < PD_LIFE_AXES; axis++)
			assert_int_equal(lived[i][axis], frees[i]);
	free(frees);
	free(lived);
}

static void blocks_that_lived_are_those_that_the_same_function_freed(void **state)
{
	(void)state;
	static const char *const lists[][3] = { { NULL }, { "xm", NULL }, { "xm", "xcalloc" },
						{ "h", "main" } };

	for (int i = 0; i < N_TREES; i++) {
		struct profile_data *d = random_profile();
		const struct view v = {
			.alloc_fns = lists[random_below(4)],
			.ignore_fns = lists[random_below(4)],
			.no_inlines = random_below(2),
			.short_names = random_below(2),
		};

		assert_counts_agree(d);
		assert_windows_agree(d);
		assert_int_equal(view_apply(&v, d), 0);
		assert_counts_agree(d);
		assert_windows_agree(d);
		profile_data_free(d);
	}
}

static void at_the_peak_nothing_has_been_freed_and_the_sum_is_that_of_what_is_seen(void **state)
{
	(void)state;
	static const char *const ignored[] = { "f", NULL };

	for (int i = 0; i < N_TREES / 10; i++) {
		struct profile_data *d = random_profile();
		uint64_t allocs = 0, bytes = 0, peak = d->totals.peak_bytes;

		assert_int_equal(view_apply(&(struct view){ .at_peak = true,
							    .ignore_fns = ignored }, d), 0);
		for (size_t k = 0; k < d->n_leaves; k++) {
			allocs += d->leaves[k].allocs;
			bytes += d->leaves[k].allocs * d->leaves[k].size;
		}
		assert_int_equal(d->totals.allocs, allocs);
		assert_int_equal(d->totals.alloc_bytes, bytes);
		assert_int_equal(d->totals.peak_bytes, peak);
		assert_int_equal(d->totals.frees, 0);
		assert_int_equal(d->n_lifetimes, 0);
		assert_int_equal(d->n_windows, 0);
		profile_data_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_that_lived_are_those_that_the_same_function_freed),
		cmocka_unit_test(
			at_the_peak_nothing_has_been_freed_and_the_sum_is_that_of_what_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
