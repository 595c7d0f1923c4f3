/* SPDX-License-Identifier: BSD-2-Clause */
/* What a JSON report says of its profile, and of what was left out of it. */
#include "unit/unit.h"

#include "naming/view.h"
#include "report/report.h"
#include "unit/pd_build.h"

#include <jansson.h>

/* main requests 3 blocks of 100 bytes, f 5 of 8, of which 2 are freed; 1 and 4 are live at the
 * peak. */
static struct profile_data *made(void)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	pd_build_chain(d, "main+1", 100, 3, 0);
	pd_build_chain(d, "main+1 > f+2", 8, 5, 2);
	pd_build_finish(d);
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].at_peak = d->leaves[i].size == 8 ? 4 : 1;
	d->points = calloc(1, sizeof *d->points);
	d->points[d->n_points++] = (struct pd_point){7000, 9, 132, 0, 5, 1};
	return d;
}

/* What a report says of @d, which is gone then, after @v. */
static json_t *seen(struct profile_data *d, const struct view *v, struct report_options o)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(view_apply(v, d), 0);
	o.view = v;
	assert_int_equal(report_json(d, &o, f), 0);
	fclose(f);
	profile_data_free(d);
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(j);
	free(text);
	return j;
}

/* The member is @want; NULL: there is none. */
static void assert_member(const json_t *j, const char *key, const char *want)
{
	const json_t *member = json_object_get(j, key);
	char *got = member ? json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (!want != !got || (want && strcmp(got, want)))
		fail_msg("%s: %s; expected %s", key, got ? got : "nothing",
			 want ? want : "nothing");
	free(got);
}

static void of_a_whole_profile_nothing_is_left_out(void **state)
{
	json_t *j = seen(made(), &(struct view){0}, (struct report_options){0});

	(void)state;
	assert_member(j, "options", NULL);
	assert_member(j, "left_out", NULL);
	assert_member(j, "merged", NULL);
	assert_member(j, "from", NULL);
	assert_member(j, "peak", "{\"time_ns\":7000,\"live_bytes\":132,\"live_blocks\":5}");
	json_decref(j);
}

static void whether_it_was_attached_to_is_told_if_it_is_known(void **state)
{
	struct profile_data *d = made();

	(void)state;
	d->from = PD_FROM_ATTACH;
	json_t *j = seen(d, &(struct view){0}, (struct report_options){0});

	assert_member(j, "from", "\"attach\"");
	json_decref(j);
	d = made();
	d->from = PD_FROM_START;
	j = seen(d, &(struct view){0}, (struct report_options){0});
	assert_member(j, "from", "\"start\"");
	json_decref(j);
}

static void what_ignored_functions_requested_is_told_with_who_they_are(void **state)
{
	static const char *const ignored[] = {"f", "nobody", NULL};
	json_t *j = seen(made(), &(struct view){.ignore_fns = ignored}, (struct report_options){0});

	(void)state;
	assert_member(j, "options", "[\"--ignore-fn=f\",\"--ignore-fn=nobody\"]");
	assert_member(j, "left_out", "{\"allocs\":5,\"bytes\":40,\"frees\":2,"
				     "\"freed_bytes\":16,\"peak_bytes\":32}");
	json_decref(j);
}

static void at_the_peak_it_is_what_was_live_then(void **state)
{
	static const char *const ignored[] = {"f", NULL};
	json_t *j = seen(made(), &(struct view){.ignore_fns = ignored, .at_peak = true},
			 (struct report_options){0});

	(void)state;
	assert_member(j, "options", "[\"--at=peak\",\"--ignore-fn=f\"]");
	assert_member(j, "left_out", "{\"allocs\":4,\"bytes\":32,\"frees\":0,"
				     "\"freed_bytes\":0,\"peak_bytes\":32}");
	assert_member(j, "peak", "{\"time_ns\":7000,\"live_bytes\":132,\"live_blocks\":5}");
	assert_member(j, "timeline", "null");
	json_decref(j);
}

static void every_option_that_changes_what_is_there_is_told(void **state)
{
	static const char *const allocators[] = {"xmalloc", NULL};
	const struct view v = {.alloc_fns = allocators, .no_inlines = true, .short_names = true,
			       .types = VIEW_TYPES_NONE, .no_site_types = true};
	json_t *j = seen(made(), &v, (struct report_options){.depth = 3});

	(void)state;
	assert_member(j, "options", "[\"--alloc-fn=xmalloc\",\"--inlines=no\",\"--names=short\","
				    "\"--types=none\",\"--site-types=no\",\"--depth=3\"]");
	json_decref(j);
	j = seen(made(), &(struct view){.types = VIEW_TYPES_PROGRAM},
		 (struct report_options){.depth = UINT32_MAX, .names_full = true});
	assert_member(j, "options",
		      "[\"--names=full\",\"--types=program\",\"--depth=all\"]");
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_whole_profile_nothing_is_left_out),
		cmocka_unit_test(whether_it_was_attached_to_is_told_if_it_is_known),
		cmocka_unit_test(what_ignored_functions_requested_is_told_with_who_they_are),
		cmocka_unit_test(at_the_peak_it_is_what_was_live_then),
		cmocka_unit_test(every_option_that_changes_what_is_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
