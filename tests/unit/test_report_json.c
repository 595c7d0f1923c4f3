/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report, read back with jansson. */
#include "unit/test_report_text.h"

#include <jansson.h>

/* The report as JSON; the profile is forgotten. */
static json_t *json_read(struct profile_data *d, size_t flags)
{
	static char *text;
	static size_t len;
	FILE *f = open_memstream(&text, &len);
	json_error_t why;

	assert_non_null(f);
	pd_build_finish(d);
	assert_int_equal(report_json(d, &(struct report_options){ 0 }, f), 0);
	fclose(f);
	profile_data_free(d);
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES | flags, &why);

	if (!j)
		fail_msg("line %d: %s in:\n%s", why.line, why.text, text);
	free(text);
	return j;
}

static json_t *json_of(struct profile_data *d)
{
	return json_read(d, 0);
}

/* One row, as compact text, is @want. */
static void assert_json(const json_t *j, const char *want)
{
	char *got = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static json_t *row(const json_t *report, const char *key, size_t i)
{
	return json_array_get(json_object_get(report, key), i);
}

static uint64_t number(const json_t *row, const char *key)
{
	const json_t *n = json_object_get(row, key);

	assert_true(json_is_integer(n));
	return (uint64_t)json_integer_value(n);
}

/* The sum over all rows of a number or of the four numbers of an object. */
static uint64_t sum(const json_t *report, const char *rows, const char *key)
{
	static const char *const classes[] = { "s", "m", "l", "x" };
	uint64_t total = 0;
	size_t i;
	json_t *one;

	json_array_foreach(json_object_get(report, rows), i, one) {
		const json_t *n = json_object_get(one, key);

		if (!json_is_object(n)) {
			total += number(one, key);
			continue;
		}
		for (size_t c = 0; c < 4; c++)
			total += number(n, classes[c]);
	}
	return total;
}

static void assert_sums(const json_t *r)
{
	const json_t *t = json_object_get(r, "totals");

	assert_int_equal(sum(r, "bins", "allocs"), number(t, "allocs"));
	assert_int_equal(sum(r, "bins", "bytes"), number(t, "alloc_bytes"));
	assert_int_equal(sum(r, "bins", "frees"), number(t, "frees"));
	assert_int_equal(sum(r, "bins", "kept_bytes"), number(t, "kept_bytes"));
	assert_int_equal(sum(r, "leaks", "kept_bytes"), number(t, "kept_bytes"));
	assert_int_equal(sum(r, "direct", "bytes"), number(t, "alloc_bytes"));
	assert_int_equal(sum(r, "direct", "kept"), number(t, "kept_bytes"));
	assert_int_equal(sum(r, "direct", "calls"), number(t, "allocs"));
	assert_int_equal(sum(r, "callgraph", "self_bytes"), number(t, "alloc_bytes"));
}

static void empty_run_is_a_whole_report(void **state)
{
	(void)state;
	json_t *r = json_of(profile_data_new());

	assert_json(r, "{\"schema\":\"mprof.report.v1\",\"command\":[],\"pid\":0,\"engines\":null,"
	"\"totals\":{"
		       "\"allocs\":0,\"alloc_bytes\":0,\"frees\":0,\"free_bytes\":0,"
		       "\"kept_objects\":0,\"kept_bytes\":0,\"peak_bytes\":0,\"failed_allocs\":0,"
		       "\"unknown_frees\":0,\"inherited_frees\":0,\"truncated_chains\":0,"
		       "\"truncated_no_cfi\":0,\"truncated_unreadable\":0,\"truncated_too_deep\":0,"
		       "\"truncated_cut\":0,"
		       "\"guessed_chains\":0},\"runtime\":[],"
		       "\"modules\":[],\"bins\":[],\"leaks\":[],\"direct\":[],\"callgraph\":[],"
		       "\"lifetimes\":[],\"timeline\":null}");
	json_decref(r);
}

static void what_was_not_seen_is_told_if_there_is_something(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	d->unseen = (struct pd_unseen){ 9, 4, 2, 3, 8, 7, 2, 0, 5, 6 };
	d->totals = (struct pd_totals){ .frees = 9, .free_bytes = 99, .missed = 4,
					.missed_bytes = 44, .paused_frees = 3 };
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "unseen"),
		    "{\"lost_events\":9,\"lost_unreadable\":4,\"lost_damaged\":2,"
		    "\"doubtful_calls\":3,\"other_requests\":8,\"other_frees\":7,"
		    "\"taken_functions\":2,\"pauses\":5,\"paused_ns\":6,\"missed_blocks\":4,"
		    "\"missed_bytes\":44,\"paused_frees\":3,\"untrapped\":false,"
		    "\"spared_lifetimes\":false,\"spared_timeline\":false,"
		    "\"spared_depth\":0}");
	json_decref(r);
	d = profile_data_new();
	d->unseen.untrapped = 1;
	r = json_of(d);
	assert_json(json_object_get(json_object_get(r, "unseen"), "untrapped"), "true");
	json_decref(r);
	d = profile_data_new();
	d->spared = (struct pd_spared){ 1, 1, 8 };
	r = json_of(d);
	assert_json(json_object_get(json_object_get(r, "unseen"), "spared_lifetimes"), "true");
	assert_json(json_object_get(json_object_get(r, "unseen"), "spared_timeline"), "true");
	assert_json(json_object_get(json_object_get(r, "unseen"), "spared_depth"), "8");
	json_decref(r);
}

static void totals_and_command_are_those_of_the_profile(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	free(d->command);
	d->command = calloc(3, sizeof *d->command);
	d->command[0] = strdup("./prog");
	d->command[1] = strdup("a \"b\"\n\xff");
	d->pid = 4242;
	d->started_ns = UINT64_C(1700000000123456789);
	d->ended_ns = d->started_ns + 2500000000;
	d->totals = (struct pd_totals){ .failed_allocs = 1, .unknown_frees = 2,
					.inherited_frees = 3,
					.truncated_no_cfi = 1, .truncated_unreadable = 2,
					.truncated_too_deep = 1 };
	pd_build_chain(d, "main", 10, 5, 2);
	pd_build_cut_chain(d, "x", 10, 4, 0);
	d->engines = PD_ENGINE_FAST | PD_ENGINE_UNTOLD;
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "engines"), "[\"fast\",\"unknown\"]");
	assert_json(json_object_get(r, "command"),
		    "[\"./prog\",\"a \\\"b\\\"\\n\xef\xbf\xbd\"]");
	assert_int_equal(number(r, "pid"), 4242);
	assert_int_equal(number(r, "duration_ns"), 2500000000);
	assert_json(json_object_get(r, "totals"),
		    "{\"allocs\":9,\"alloc_bytes\":90,\"frees\":2,\"free_bytes\":20,"
		    "\"kept_objects\":7,\"kept_bytes\":70,\"peak_bytes\":90,\"failed_allocs\":1,"
		    "\"unknown_frees\":2,\"inherited_frees\":3,\"truncated_chains\":4,"
		    "\"truncated_no_cfi\":1,\"truncated_unreadable\":2,\"truncated_too_deep\":1,"
		    "\"truncated_cut\":0,"
		    "\"guessed_chains\":0}");
	json_decref(r);
}

static void every_size_has_a_bin(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 5000000000, 1, 0);
	pd_build_chain(d, "main > f", 0, 3, 1);
	pd_build_chain(d, "main", 1025, 1, 1);
	pd_build_chain(d, "main > f", 1025, 1, 0);
	pd_build_type(d, 1024, "no", 0);
	pd_build_type(d, 1025, "own", 0);
	pd_build_type(d, 1025, "lib", 1);
	pd_build_type(d, 1026, "no", 1);
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "bins"),
		    "[{\"size\":0,\"allocs\":3,\"bytes\":0,\"frees\":1,\"kept_bytes\":0,"
		    "\"types\":[]},{\"size\":1025,\"allocs\":2,\"bytes\":2050,\"frees\":1,"
		    "\"kept_bytes\":1025,\"types\":[\"own\",\"lib\"]},"
		    "{\"size\":5000000000,\"allocs\":1,\"bytes\":5000000000,\"frees\":0,"
		    "\"kept_bytes\":5000000000,\"types\":[]}]");
	assert_sums(r);
	json_decref(r);
}

static void leaks_are_told_apart_by_call_site(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	uint32_t site = pd_build_site(d, "f", 20);

	d->modules = calloc(1, sizeof *d->modules);
	d->modules[0] = (struct pd_module){ .path = strdup("/lib/x\xff.so") };
	d->n_modules = 1;
	d->functions[0].module = 0;
	d->sites[site].file = strdup("f.c");
	d->sites[site].line = 7;
	d->sites[site].inlined = 1;
	pd_build_chain(d, "main+5 > f+20", 8, 3, 1);
	pd_build_chain(d, "main+5 > f+30", 8, 1, 0);
	pd_build_chain(d, "main+5 > g+9", 8, 1, 1);
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "leaks"),
		    "[{\"kept_bytes\":16,\"allocs\":3,\"bytes\":24,\"frees\":1,\"freed_bytes\":8,"
		    "\"truncated\":false,\"path\":[{\"function\":\"main\",\"offset\":5,"
		    "\"file\":null,\"line\":null,\"module\":null,\"inlined\":false,"
		    "\"guessed\":false,\"own\":false},"
		    "{\"function\":\"f\",\"offset\":20,\"file\":\"f.c\","
		    "\"line\":7,\"module\":\"/lib/x\xef\xbf\xbd.so\",\"inlined\":true,"
		    "\"guessed\":false,\"own\":false}],\"types\":[]},"
		    "{\"kept_bytes\":8,\"allocs\":1,\"bytes\":8,"
		    "\"frees\":0,\"freed_bytes\":0,\"truncated\":false,"
		    "\"path\":[{\"function\":\"main\",\"offset\":5,\"file\":null,\"line\":null,"
		    "\"module\":null,\"inlined\":false,\"guessed\":false,\"own\":false},"
		    "{\"function\":\"f\",\"offset\":30,\"file\":null,\"line\":null,"
		    "\"module\":\"/lib/x\xef\xbf\xbd.so\",\"inlined\":false,\"guessed\":false,"
		    "\"own\":false}],\"types\":[]}]");
	assert_sums(r);
	json_decref(r);
}

static void own_code_and_what_the_runtime_keeps_are_told(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+5 > xmalloc+2 > std::pool::pool+3", 72704, 2, 1);
	d->modules = calloc(1, sizeof *d->modules);
	d->modules[0] = (struct pd_module){ .path = strdup("/a/prog") };
	d->n_modules = 1;
	for (size_t i = 0; i < d->n_functions; i++)
		d->functions[i].module = 0;
	json_t *r = json_of(d), *path = json_object_get(row(r, "leaks", 0), "path");

	assert_true(json_is_true(json_object_get(json_array_get(path, 0), "own")));
	assert_true(json_is_false(json_object_get(json_array_get(path, 1), "own")));
	assert_true(json_is_false(json_object_get(json_array_get(path, 2), "own")));
	assert_json(json_object_get(r, "runtime"),
		    "[{\"kind\":\"C++ emergency pool\",\"blocks\":1,\"bytes\":72704}]");
	json_decref(r);
}

static void chains_with_a_guessed_function_anywhere_are_counted_once(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	uint32_t main_site = pd_build_site(d, "main", 5), a = pd_build_site(d, "a", 7);

	d->sites[main_site].guessed = 1;
	d->sites[a].guessed = 1;
	pd_build_chain(d, "main+5 > a+7 > b", 8, 3, 1);
	pd_build_chain(d, "main+5 > b", 8, 4, 4);
	pd_build_chain(d, "main+6 > b", 8, 16, 0);
	json_t *r = json_of(d);

	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(r, "totals"), "guessed_chains")),
			 7);
	assert_true(json_is_true(
		json_object_get(json_array_get(json_object_get(row(r, "leaks", 1), "path"), 0),
				"guessed")));
	json_decref(r);
}

static void paths_that_are_not_the_whole_chain_are_truncated(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > a > b > c > d > e", 50, 1, 0);
	pd_build_chain(d, "main > a > b > c > d", 40, 1, 0);
	pd_build_cut_chain(d, "b > c", 30, 1, 0);
	pd_build_cut_chain(d, "", 20, 1, 0);
	json_t *r = json_of(d);

	assert_true(json_is_true(json_object_get(row(r, "leaks", 0), "truncated")));
	assert_true(json_is_false(json_object_get(row(r, "leaks", 1), "truncated")));
	assert_true(json_is_true(json_object_get(row(r, "leaks", 2), "truncated")));
	assert_true(json_is_true(json_object_get(row(r, "leaks", 3), "truncated")));
	assert_json(json_object_get(row(r, "leaks", 3), "path"),
		    "[{\"function\":\"?\",\"offset\":0,\"file\":null,\"line\":null,\"module\":null,"
		    "\"inlined\":false,\"guessed\":false,\"own\":false}]");
	assert_sums(r);
	json_decref(r);
}

static void direct_has_bytes_by_class(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f", 32, 2, 1);
	pd_build_chain(d, "main > f", 33, 1, 1);
	pd_build_chain(d, "main > f", 257, 1, 0);
	pd_build_chain(d, "main > f", 2049, 1, 1);
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "direct"),
		    "[{\"function\":\"f\",\"bytes\":{\"s\":64,\"m\":33,\"l\":257,\"x\":2049},"
		    "\"kept\":{\"s\":32,\"m\":0,\"l\":257,\"x\":0},\"calls\":5,\"types\":[]}]");
	assert_sums(r);
	json_decref(r);
}

static void members_of_cycles_are_in_the_call_graph_but_no_cycles(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	/* the example of doc/tables.md, section 8, with its indices */
	pd_build_chain(d, "main > F > G > F > G+1", 10, 1, 0);
	pd_build_chain(d, "main > F > G > F > G+2 > leaf", 40, 1, 0);
	pd_build_chain(d, "main > leaf", 40, 1, 0);
	pd_build_chain(d, "main > walk+1", 100, 1, 0);
	pd_build_chain(d, "main > walk+2 > walk+1", 100, 1, 0);
	pd_build_chain(d, "main > walk+2 > walk+2 > walk+1", 100, 1, 0);
	json_t *r = json_of(d);

	assert_int_equal(json_array_size(json_object_get(r, "callgraph")), 5);
	assert_json(row(r, "callgraph", 1),
		    "{\"index\":1,\"function\":\"walk\",\"cycle\":null,"
		    "\"self_bytes\":{\"s\":0,\"m\":300,\"l\":0,\"x\":0},\"total_bytes\":300,"
		    "\"called\":3,\"recursive\":3,\"callers\":[{\"function\":\"main\","
		    "\"bytes\":{\"s\":0,\"m\":300,\"l\":0,\"x\":0},\"calls\":3}],\"callees\":[]}");
	assert_json(row(r, "callgraph", 3),
		    "{\"index\":4,\"function\":\"G\",\"cycle\":1,"
		    "\"self_bytes\":{\"s\":10,\"m\":0,\"l\":0,\"x\":0},\"total_bytes\":10,"
		    "\"called\":4,\"recursive\":0,\"callers\":[{\"function\":\"F\","
		    "\"bytes\":{\"s\":20,\"m\":80,\"l\":0,\"x\":0},\"calls\":4}],"
		    "\"callees\":[{\"function\":\"leaf\","
		    "\"bytes\":{\"s\":0,\"m\":40,\"l\":0,\"x\":0},\"calls\":1},"
		    "{\"function\":\"F\",\"bytes\":{\"s\":10,\"m\":40,\"l\":0,\"x\":0},"
		    "\"calls\":2}]}");
	assert_int_equal(number(row(r, "callgraph", 0), "total_bytes"), 390);
	assert_int_equal(number(row(r, "callgraph", 4), "index"), 5);
	assert_sums(r);
	json_decref(r);
}

static void leaks_and_direct_rows_have_the_types_of_their_sizes(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f", 8, 3, 1);
	pd_build_chain(d, "main > f", 16, 1, 1);
	pd_build_chain(d, "main > f", 24, 1, 0);
	pd_build_chain(d, "main > f", 25, 1, 0);
	pd_build_chain(d, "main > g > f", 8, 1, 0);
	pd_build_chain(d, "main > g", 40, 1, 0);
	pd_build_type(d, 8, "a", 0);
	pd_build_type(d, 8, "b", 1);
	pd_build_type(d, 16, "c", 0);
	pd_build_type(d, 24, "d", 0);
	json_t *r = json_of(d);

	assert_string_equal(json_string_value(json_object_get(json_array_get(
		json_object_get(row(r, "leaks", 0), "path"), 1), "function")), "f");
	/* What was freed is no leak. */
	assert_json(json_object_get(row(r, "leaks", 0), "types"), "[\"a\",\"b\",\"d\"]");
	assert_json(json_object_get(row(r, "leaks", 1), "types"), "[]");
	assert_json(json_object_get(row(r, "leaks", 2), "types"), "[\"a\",\"b\"]");
	assert_json(json_object_get(row(r, "direct", 0), "types"), "[\"a\",\"b\",\"c\",\"d\"]");
	assert_json(json_object_get(row(r, "direct", 1), "types"), "[]");
	json_decref(r);
}

static void modules_tell_where_their_names_came_from(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	d->modules = calloc(2, sizeof *d->modules);
	d->modules[0] = (struct pd_module){ strdup("/bin/p"), strdup("12ab"), strdup("DWARF") };
	d->modules[1] = (struct pd_module){ strdup("/lib/unused.so"), strdup(""), strdup("") };
	d->n_modules = 2;
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "modules"),
		    "[{\"path\":\"/bin/p\",\"build_id\":\"12ab\",\"names\":\"DWARF\"}]");
	json_decref(r);
}

static void names_that_are_no_text_stay_valid_json(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > \xed\xa0\x80\033\"\\", 8, 1, 0);
	pd_build_type(d, 8, "\xfe", 0);
	json_t *r = json_of(d);

	assert_json(json_object_get(row(r, "direct", 0), "function"),
		    "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u001B\\\"\\\\\"");
	assert_json(json_object_get(row(r, "bins", 0), "types"), "[\"\xef\xbf\xbd\"]");
	json_decref(r);
}

static void a_series_is_told_by_site_and_the_rest(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	static const struct pd_series_point points[] = { { 0, 0, 0, 0, 0 },
							 { 5, 100, 3, 3, 1 },
							 { 9, 60, 2, 4, 0 } };
	static const struct pd_held held[] = { { 1, 0, 30 }, { 1, 1, 50 }, { 2, 0, 8 },
					       { 2, 2, 2 } };

	pd_build_chain(d, "f+1", 8, 1, 0);
	pd_build_chain(d, "g+1", 8, 1, 0);
	pd_build_chain(d, "f+2", 8, 1, 0);
	d->sites[1].file = strdup("g.c");
	d->sites[1].line = 7;
	d->series = calloc(3, sizeof *d->series);
	d->held = calloc(4, sizeof *d->held);
	memcpy(d->series, points, sizeof points);
	memcpy(d->held, held, sizeof held);
	d->n_series = 3;
	d->n_held = 4;
	json_t *r = json_of(d);

	/* f has two places, of which nobody knows a line: they are one. */
	assert_json(json_object_get(r, "timeline"),
		    "{\"time_ns\":[0,5,9],\"live_bytes\":[0,100,60],\"live_blocks\":[0,3,2],"
		    "\"allocs\":[0,3,4],\"peak\":1,\"sites\":["
		    "{\"function\":\"g\",\"file\":\"g.c\",\"line\":7,\"bytes\":[0,50,0]},"
		    "{\"function\":\"f\",\"file\":null,\"line\":0,\"bytes\":[0,30,10]}],"
		    "\"rest\":[0,20,50],\"exact\":[true,true,true]}");
	json_decref(r);
}

/* 25 places of g and 26 of h held 10 bytes each at the peak, and 5 of g nothing at the end. The
 * points have fewer of them; for these two moments the rest is known. */
static void what_a_series_has_missed_is_told(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	static const struct pd_series_point points[] = {
		{0, 0, 0, 0, 0}, {5, 200, 20, 20, 0}, {6, 510, 51, 51, 1}, {9, 460, 46, 51, 0}};
	char chain[32];

	for (int i = 0; i < 51; i++) {
		snprintf(chain, sizeof chain, "main+1 > %c+%d", i < 25 ? 'g' : 'h', i);
		pd_build_chain(d, chain, 10, 1, i < 5);
	}
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].at_peak = 1;
	d->n_series = 4;
	d->series = calloc(4, sizeof *d->series);
	memcpy(d->series, points, sizeof points);
	d->held = calloc(3, sizeof *d->held);
	for (uint32_t i = 1; i < 4; i++)
		d->held[d->n_held++] = (struct pd_held){i, d->nodes[d->leaves[0].node].site, 50};
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "timeline"),
		    "{\"time_ns\":[0,5,6,9],\"live_bytes\":[0,200,510,460],"
		    "\"live_blocks\":[0,20,51,46],\"allocs\":[0,20,51,51],\"peak\":2,"
		    "\"sites\":[{\"function\":\"g\",\"file\":null,\"line\":0,"
		    "\"bytes\":[0,50,250,200]}],\"rest\":[0,150,260,260],"
		    "\"exact\":[true,false,true,true]}");
	json_decref(r);
}

/* A line that is steady is not listed. */
static void what_grows_is_told_with_its_rate(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > f+1", 100, 40, 0);
	pd_build_chain(d, "main+2 > g+1", 100, 40, 20);
	d->window_ns = 3600000000000;
	d->windows_over = 40;
	for (size_t k = 0; k < d->n_leaves; k++) {
		for (uint32_t i = 0; i < d->windows_over; i++) {
			uint64_t n = k ? 20 : i + 1;

			d->windows = pd_build_grow(d->windows, d->n_windows, sizeof *d->windows);
			d->windows[d->n_windows++] = (struct pd_window){
				d->leaves[k].node, i, 1, n, n + !k, n * 100, (n + !k) * 100};
		}
	}
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "growing"),
		    "[{\"function\":\"f\",\"file\":null,\"line\":0,\"bytes_hour\":100.0,"
		    "\"blocks_hour\":1.0,\"stays\":0.0,\"in_size\":false,"
		    "\"never_freed\":true}]");
	json_decref(r);
}

/* The sums of the moments are of everything, the totals of what is left. */
static void of_a_part_there_is_no_timeline(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "f+1", 8, 1, 0);
	d->series = calloc(1, sizeof *d->series);
	d->series[d->n_series++] = (struct pd_series_point){ .live_bytes = 8 };
	d->is_part = true;
	json_t *r = json_of(d);

	assert_true(json_is_null(json_object_get(r, "timeline")));
	json_decref(r);
}

/* As in files of older versions. */
static void a_timeline_without_a_series_is_all_rest(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	d->points = calloc(2, sizeof *d->points);
	d->points[d->n_points++] = (struct pd_point){ 3, 11, 70, 8, 2, 0 };
	d->points[d->n_points++] = (struct pd_point){ 4, 12, 50, 8, 1, 0 };
	json_t *r = json_of(d);

	assert_json(json_object_get(r, "timeline"),
		    "{\"time_ns\":[3,4],\"live_bytes\":[70,50],\"live_blocks\":[2,1],"
		    "\"allocs\":null,\"peak\":null,\"sites\":[],\"rest\":[70,50],"
		    "\"exact\":[true,true]}");
	json_decref(r);
}

static void of_a_long_timeline_some_points_are_told_and_the_peak(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	d->n_points = 1000;
	d->points = calloc(d->n_points, sizeof *d->points);
	for (size_t i = 0; i < d->n_points; i++)
		d->points[i].time_ns = i;
	d->points[777].peak = 1;
	json_t *r = json_of(d);
	const json_t *t = json_object_get(r, "timeline"), *times = json_object_get(t, "time_ns");
	size_t n = json_array_size(times);

	assert_in_range(n, 199, 200);
	assert_int_equal(json_integer_value(json_array_get(times, 0)), 0);
	assert_int_equal(json_integer_value(json_array_get(times, n - 1)), 999);
	assert_int_equal(json_integer_value(json_array_get(times, number(t, "peak"))), 777);
	json_decref(r);
}

/* Only an allocator that promises more memory than there is can cause them. */
static void numbers_of_2_to_the_63_and_more_are_not_negative(void **state)
{
	(void)state;
	static const double want = 3.0 * (1ull << 62);
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1", 1ull << 62, 3, 0);
	/* jansson reads no such integers, others do. */
	json_t *r = json_read(d, JSON_DECODE_INT_AS_REAL), *t = json_object_get(r, "totals");

	assert_true(json_number_value(json_object_get(t, "alloc_bytes")) == want);
	assert_true(json_number_value(json_object_get(t, "kept_bytes")) == want);
	assert_true(json_number_value(json_object_get(row(r, "bins", 0), "kept_bytes")) == want);
	assert_true(json_number_value(json_object_get(row(r, "leaks", 0), "kept_bytes")) == want);
	assert_true(json_number_value(json_object_get(
			    json_object_get(row(r, "direct", 0), "bytes"), "x")) == want);
	assert_true(json_number_value(json_object_get(row(r, "bins", 0), "size")) * 3 == want);
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_run_is_a_whole_report),
		cmocka_unit_test(what_was_not_seen_is_told_if_there_is_something),
		cmocka_unit_test(totals_and_command_are_those_of_the_profile),
		cmocka_unit_test(every_size_has_a_bin),
		cmocka_unit_test(leaks_are_told_apart_by_call_site),
		cmocka_unit_test(own_code_and_what_the_runtime_keeps_are_told),
		cmocka_unit_test(paths_that_are_not_the_whole_chain_are_truncated),
		cmocka_unit_test(chains_with_a_guessed_function_anywhere_are_counted_once),
		cmocka_unit_test(direct_has_bytes_by_class),
		cmocka_unit_test(members_of_cycles_are_in_the_call_graph_but_no_cycles),
		cmocka_unit_test(leaks_and_direct_rows_have_the_types_of_their_sizes),
		cmocka_unit_test(modules_tell_where_their_names_came_from),
		cmocka_unit_test(names_that_are_no_text_stay_valid_json),
		cmocka_unit_test(a_series_is_told_by_site_and_the_rest),
		cmocka_unit_test(what_a_series_has_missed_is_told),
		cmocka_unit_test(what_grows_is_told_with_its_rate),
		cmocka_unit_test(of_a_part_there_is_no_timeline),
		cmocka_unit_test(a_timeline_without_a_series_is_all_rest),
		cmocka_unit_test(of_a_long_timeline_some_points_are_told_and_the_peak),
		cmocka_unit_test(numbers_of_2_to_the_63_and_more_are_not_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
