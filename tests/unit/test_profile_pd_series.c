/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sites of a series are one, which of them are kept, and which points of an old timeline are
 * shown. */
#include "unit/unit.h"
#include "profile/pd_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text(const char *format, unsigned n)
{
	char *made = NULL;

	assert_true(asprintf(&made, format, n) > 0);
	return made;
}

/* Functions f0 to f9, and f0 once more in another module; four sites in each. */
static struct profile_data *profile(void)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	d->n_functions = 11;
	d->functions = calloc(d->n_functions, sizeof *d->functions);
	d->n_sites = d->n_functions * 4;
	d->sites = calloc(d->n_sites, sizeof *d->sites);
	d->n_series = 100;
	d->series = calloc(d->n_series, sizeof *d->series);
	d->held = calloc(1000, sizeof *d->held);
	for (unsigned i = 0; i < d->n_functions; i++)
		d->functions[i] =
			(struct pd_function){.name = text("f%u", i % 10), .module = PD_NONE};
	for (unsigned i = 0; i < d->n_sites; i++)
		d->sites[i] = (struct pd_site){
			.function = i / 4, .file = text("%u.c", 1), .line = 9, .address = i};
	return d;
}

static void set_file(struct profile_data *d, uint32_t site, const char *file, uint32_t line)
{
	free(d->sites[site].file);
	d->sites[site].file = file ? strdup(file) : NULL;
	d->sites[site].line = line;
}

static void hold(struct profile_data *d, uint32_t point, uint32_t site, uint64_t bytes)
{
	d->held[d->n_held++] = (struct pd_held){point, site, bytes};
}

static void assert_held(const struct profile_data *d, size_t i, uint32_t point, uint32_t site,
			uint64_t bytes)
{
	assert_true(i < d->n_held);
	assert_int_equal(d->held[i].point, point);
	assert_int_equal(d->held[i].site, site);
	assert_int_equal(d->held[i].bytes, bytes);
}

static void sites_of_one_function_file_and_line_are_one(void **state)
{
	struct profile_data *d = profile();
	struct pd_series_sites s;

	(void)state;
	set_file(d, 1, "1.c", 10);
	set_file(d, 2, "2.c", 9);
	set_file(d, 3, NULL, 9);
	hold(d, 0, 40, 6); /* f0 of the other module */
	hold(d, 0, 0, 5);
	hold(d, 0, 1, 20);
	hold(d, 0, 2, 19);
	hold(d, 0, 3, 18);
	hold(d, 0, 4, 10);
	hold(d, 0, 5, 7);
	assert_int_equal(pd_series_sites(d, &s), 0);
	assert_int_equal(s.n, 5);
	assert_int_equal(s.sites[0], 1);
	assert_int_equal(s.sites[1], 2);
	assert_int_equal(s.sites[2], 3);
	assert_int_equal(s.sites[3], 4); /* 17 */
	assert_int_equal(s.sites[4], 0); /* 11 */
	assert_int_equal(s.of[0], 4);
	assert_int_equal(s.of[40], 4);
	assert_int_equal(s.of[4], 3);
	assert_int_equal(s.of[5], 3);
	assert_int_equal(s.of[41], 4); /* it held nothing, but has the name of one that did */
	pd_series_sites_release(&s);
	profile_data_free(d);
}

static void those_stay_that_hold_most_at_all_points_together(void **state)
{
	struct profile_data *d = profile();

	(void)state;
	for (uint32_t i = 0; i < 30; i++)
		set_file(d, i, "a.c", 100 + i);
	for (uint32_t i = 0; i < 30; i++)
		hold(d, 7, i, 1000 + i);
	hold(d, 3, 0, 500); /* 1500 in all, more than each of the others */
	assert_int_equal(pd_series_settle(d), 0);
	/* 0, and the 19 last. */
	assert_int_equal(d->n_held, 21);
	assert_held(d, 0, 3, 0, 500);
	assert_held(d, 1, 7, 0, 1000);
	for (uint32_t i = 0; i < 19; i++)
		assert_held(d, 2 + i, 7, 11 + i, 1011 + i);
	profile_data_free(d);
}

static void what_falls_together_is_added_up_and_sorted(void **state)
{
	struct profile_data *d = profile();

	(void)state;
	hold(d, 9, 4, 1);
	hold(d, 2, 8, 2);
	hold(d, 2, 4, 3);
	hold(d, 9, 4, 4);
	assert_int_equal(pd_series_settle(d), 0);
	assert_int_equal(d->n_held, 3);
	assert_held(d, 0, 2, 4, 3);
	assert_held(d, 1, 2, 8, 2);
	assert_held(d, 2, 9, 4, 5);
	profile_data_free(d);
}

static void who_holds_more_than_can_be_added_up_is_the_heaviest(void **state)
{
	struct profile_data *d = profile();
	struct pd_series_sites s;

	(void)state;
	hold(d, 0, 4, UINT64_MAX - 1);
	hold(d, 1, 8, UINT64_MAX - 1);
	hold(d, 2, 8, UINT64_MAX - 1);
	assert_int_equal(pd_series_sites(d, &s), 0);
	assert_int_equal(s.sites[0], 8);
	pd_series_sites_release(&s);
	profile_data_free(d);
}

static void nobody_holds_anything(void **state)
{
	struct profile_data *d = profile_data_new();
	struct pd_series_sites s;

	(void)state;
	assert_int_equal(pd_series_settle(d), 0);
	assert_int_equal(pd_series_sites(d, &s), 0);
	assert_int_equal(s.n, 0);
	pd_series_sites_release(&s);
	profile_data_free(d);
}

/* For all lengths and with the peak anywhere: sorted, at most the limit, with both ends. */
static void some_points_of_a_timeline_are_picked(void **state)
{
	enum { MAX = 20 };
	size_t at[MAX];

	(void)state;
	for (size_t n = 0; n < 300; n++) {
		for (size_t peak = 0; peak <= n; peak++) {
			size_t is_peak = peak < n ? peak : SIZE_MAX, there = 0;
			size_t kept = pd_series_pick(n, MAX, is_peak, at);

			assert_true(kept == n || (kept >= MAX - 1 && kept <= MAX));
			for (size_t i = 0; i < kept; i++) {
				assert_true(at[i] < n && (!i || at[i] > at[i - 1]));
				assert_true(!i || at[i] - at[i - 1] <= n / (MAX - 2) + 1);
				there += at[i] == is_peak;
			}
			assert_int_equal(there, peak < n);
			if (kept) {
				assert_int_equal(at[0], 0);
				assert_int_equal(at[kept - 1], n - 1);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_of_one_function_file_and_line_are_one),
		cmocka_unit_test(those_stay_that_hold_most_at_all_points_together),
		cmocka_unit_test(what_falls_together_is_added_up_and_sorted),
		cmocka_unit_test(who_holds_more_than_can_be_added_up_is_the_heaviest),
		cmocka_unit_test(nobody_holds_anything),
		cmocka_unit_test(some_points_of_a_timeline_are_picked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
