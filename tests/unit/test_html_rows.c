/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the page, of profiles made by hand: they say the same as the JSON report. */
#include "unit/unit.h"

#include "html/rows.h"
#include "report/report.h"
#include "unit/pd_build.h"

#include <jansson.h>

/* What @write writes of @d and its tree, read back. */
static json_t *read_back(const struct profile_data *d,
			 int (*write)(const struct tree *t, const struct report_options *o,
				      FILE *out))
{
	const struct report_options o = {0};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct tree *t;
	json_error_t why;

	assert_non_null(f);
	assert_int_equal(tree_new(d, NULL, &t), 0);
	assert_int_equal(write ? write(t, &o, f) : report_json(d, &o, f), 0);
	tree_free(t);
	fclose(f);
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (!j)
		fail_msg("line %d: %s in:\n%s", why.line, why.text, text);
	free(text);
	return j;
}

static int write_tree(const struct tree *t, const struct report_options *o, FILE *out)
{
	(void)o;
	return tree_json(t, out);
}

static json_int_t at(const json_t *rows, const char *table, const char *column, size_t i)
{
	const json_t *list = json_object_get(json_object_get(rows, table), column);

	if (i >= json_array_size(list))
		fail_msg("%s.%s has no row %zu", table, column, i);
	return json_integer_value(json_array_get(list, i));
}

static size_t length(const json_t *rows, const char *table, const char *column)
{
	return json_array_size(json_object_get(json_object_get(rows, table), column));
}

/* The function that a node of the tree stands for. */
static const char *name_at(const json_t *tree, json_int_t node)
{
	json_int_t site = at(tree, "nodes", "site", (size_t)node);
	json_int_t function = at(tree, "sites", "function", (size_t)site);
	json_int_t name = at(tree, "functions", "name", (size_t)function);

	return json_string_value(json_array_get(json_object_get(tree, "strings"), (size_t)name));
}

static json_int_t member(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

static json_int_t classes(const json_t *row, const char *key)
{
	json_int_t sum = 0;
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(row, key), name, value) sum +=
		json_integer_value(value);
	return sum;
}

static void assert_leak(const json_t *rows, const json_t *tree, size_t i, const json_t *want)
{
	const json_t *path = json_object_get(want, "path");
	size_t depth = json_array_size(path);
	json_int_t node = at(rows, "leaks", "node", i);

	assert_int_equal(at(rows, "leaks", "depth", i), depth);
	assert_int_equal(at(rows, "leaks", "kept_bytes", i), member(want, "kept_bytes"));
	assert_int_equal(at(rows, "leaks", "allocs", i), member(want, "allocs"));
	assert_int_equal(at(rows, "leaks", "frees", i), member(want, "frees"));
	const json_t *lost = json_object_get(want, "lost");

	if (lost) {
		assert_int_equal(at(rows, "leaks", "lost_bytes", i), member(lost, "bytes"));
		assert_int_equal(at(rows, "leaks", "through_bytes", i),
				 member(lost, "through_bytes"));
	}
	assert_int_equal(at(rows, "leaks", "truncated", i),
			 json_is_true(json_object_get(want, "truncated")));
	while (depth--) {
		const json_t *element = json_array_get(path, depth);

		assert_string_equal(name_at(tree, node),
				    json_string_value(json_object_get(element, "function")));
		node -= at(tree, "nodes", "up", (size_t)node);
	}
}

static void assert_function(const json_t *rows, const json_t *tree, size_t i, const json_t *want)
{
	json_int_t function = at(rows, "functions", "function", i);
	json_int_t name = at(tree, "functions", "name", (size_t)function);

	assert_string_equal(
		json_string_value(json_array_get(json_object_get(tree, "strings"), (size_t)name)),
		json_string_value(json_object_get(want, "function")));
	assert_int_equal(at(rows, "functions", "total_bytes", i), member(want, "total_bytes"));
	assert_int_equal(at(rows, "functions", "self_bytes", i), classes(want, "self_bytes"));
	assert_int_equal(at(rows, "functions", "called", i), member(want, "called"));
	assert_int_equal(at(rows, "functions", "recursive", i), member(want, "recursive"));
	assert_int_equal(at(rows, "functions", "cycle", i), member(want, "cycle"));
}

/* All of it against the report. */
static void assert_says_the_same(const struct profile_data *d)
{
	json_t *rows = read_back(d, rows_json), *tree = read_back(d, write_tree);
	json_t *report = read_back(d, NULL);
	const json_t *leaks = json_object_get(report, "leaks");
	const json_t *graph = json_object_get(report, "callgraph");

	assert_int_equal(length(rows, "leaks", "node"), json_array_size(leaks));
	for (size_t i = 0; i < json_array_size(leaks); i++)
		assert_leak(rows, tree, i, json_array_get(leaks, i));
	assert_int_equal(length(rows, "functions", "function"), json_array_size(graph));
	for (size_t i = 0; i < json_array_size(graph); i++)
		assert_function(rows, tree, i, json_array_get(graph, i));
	json_decref(rows);
	json_decref(tree);
	json_decref(report);
}

static void what_is_lost_directly_and_through_others_are_columns(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main+1 > f+2", 100, 9, 0);
	pd_build_chain(d, "main+1 > g+2", 10, 5, 0);
	pd_build_finish(d);
	d->reach.known = 1;
	for (size_t i = 0; i < d->n_leaves; i++) {
		d->leaves[i].reach[PD_LOST] = d->leaves[i].size == 100 ? 2 : 0;
		d->leaves[i].reach[PD_LOST_THROUGH] = d->leaves[i].size == 100 ? 3 : 5;
	}
	assert_says_the_same(d);
	json_t *rows = read_back(d, rows_json);

	assert_int_equal(at(rows, "leaks", "lost_bytes", 0), 200);
	assert_int_equal(at(rows, "leaks", "through_bytes", 0), 300);
	assert_int_equal(at(rows, "leaks", "through_bytes", 1), 50);
	json_decref(rows);
	profile_data_free(d);
}

static void rows_say_what_the_report_says(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main+1 > f+2", 100, 3, 1);
	pd_build_chain(d, "main+1 > a+1 > b+1 > c+1 > e+1 > f+2", 7, 2, 0);
	pd_build_chain(d, "main+2 > a+1 > b+1 > c+1 > e+1 > f+2", 7, 2, 0);
	pd_build_chain(d, "main+1 > g+3 > g+4 > f+2 > g+3", 10, 2, 0);
	pd_build_chain(d, "start+5", 7, 1, 1);
	pd_build_cut_chain(d, "h+4", 8, 5, 2);
	pd_build_finish(d);
	assert_says_the_same(d);
	profile_data_free(d);
}

static void a_profile_of_nothing_has_no_rows(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	assert_says_the_same(d);
	profile_data_free(d);
}

static void lifetimes_have_their_buckets_one_behind_the_other(void **state)
{
	static const struct pd_lifetime lives[] = {
		{3, PD_LIFE_EVENTS, 2, 5},    {3, PD_LIFE_NS, 0, 1},	 {3, PD_LIFE_NS, 10, 4},
		{3, PD_LIFE_TEMPORARY, 0, 2}, {4, PD_LIFE_EVENTS, 0, 1}, {4, PD_LIFE_NS, 40, 1}};
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main+1 > f+2", 100, 9, 5);
	pd_build_chain(d, "main+1 > g+2", 100, 2, 1);
	pd_build_finish(d);
	d->lifetimes = pd_build_grow(NULL, 0, sizeof lives);
	memcpy(d->lifetimes, lives, sizeof lives);
	d->n_lifetimes = sizeof lives / sizeof *lives;
	json_t *rows = read_back(d, rows_json), *tree = read_back(d, write_tree);

	assert_int_equal(length(rows, "lifetimes", "node"), 2);
	assert_string_equal(name_at(tree, at(rows, "lifetimes", "node", 0)), "f");
	assert_string_equal(name_at(tree, at(rows, "lifetimes", "node", 1)), "g");
	assert_int_equal(at(rows, "lifetimes", "frees", 0), 5);
	assert_int_equal(at(rows, "lifetimes", "temporary", 0), 2);
	assert_int_equal(at(rows, "lifetimes", "buckets", 0), 2);
	assert_int_equal(at(rows, "lifetimes", "buckets", 1), 1);
	assert_int_equal(length(rows, "buckets", "power"), 3);
	assert_int_equal(at(rows, "buckets", "power", 1), 10);
	assert_int_equal(at(rows, "buckets", "blocks", 1), 4);
	assert_int_equal(at(rows, "buckets", "power", 2), 40);
	json_decref(rows);
	json_decref(tree);
	profile_data_free(d);
}

/* Two chains of the same two types, and one without any. */
static void types_are_lists_each_of_them_once(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main+1 > f+2", 16, 2, 0);
	pd_build_chain(d, "main+1 > g+2", 16, 3, 0);
	pd_build_chain(d, "main+1 > h+2", 24, 4, 0);
	pd_build_finish(d);
	d->types = calloc(2, sizeof *d->types);
	d->types[0] = (struct pd_type){.size = 16, .name = strdup("struct a")};
	d->types[1] = (struct pd_type){.size = 16, .name = strdup("struct \"b\"")};
	d->n_types = 2;
	json_t *rows = read_back(d, rows_json);
	char *lists = json_dumps(json_object_get(rows, "types"), JSON_COMPACT);
	char *strings = json_dumps(json_object_get(rows, "strings"), JSON_COMPACT);

	assert_string_equal(lists, "[[],[0,1]]");
	assert_string_equal(strings, "[\"struct a\",\"struct \\\"b\\\"\"]");
	assert_int_equal(at(rows, "leaks", "types", 0), 0); /* the heaviest is h */
	assert_int_equal(at(rows, "leaks", "types", 1), 1);
	assert_int_equal(at(rows, "leaks", "types", 2), 1);
	free(lists);
	free(strings);
	json_decref(rows);
	profile_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_say_what_the_report_says),
		cmocka_unit_test(what_is_lost_directly_and_through_others_are_columns),
		cmocka_unit_test(a_profile_of_nothing_has_no_rows),
		cmocka_unit_test(lifetimes_have_their_buckets_one_behind_the_other),
		cmocka_unit_test(types_are_lists_each_of_them_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
