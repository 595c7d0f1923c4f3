/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_profile_datafile.h"

#include <sqlite3.h>

/* The result of @sql as the sqlite3 shell prints it: columns|columns, a line a row. */
static char *ask(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *row;
	char *answer = NULL;
	size_t len;
	FILE *f = open_memstream(&answer, &len);

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL))
		fail_msg("%s", sqlite3_errmsg(db));
	while (sqlite3_step(row) == SQLITE_ROW)
		for (int i = 0, n = sqlite3_column_count(row); i < n; i++)
			fprintf(f, "%s%c", (const char *)sqlite3_column_text(row, i),
				i + 1 < n ? '|' : '\n');
	assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
	sqlite3_close(db);
	fclose(f);
	return answer;
}

static void assert_answer(const char *sql, const char *want)
{
	char *answer = ask("mprof.data", sql);

	assert_string_equal(answer, want);
	free(answer);
}

/* The columns of the view leaks that each file can fill. */
#define OF_PATHS "kept_bytes, allocs, bytes, frees, freed_bytes, truncated, path"

static void add_types(struct profile_data *d, const struct pd_type *types, size_t n)
{
	d->types = array(n, sizeof *types);
	d->n_types = n;
	for (size_t i = 0; i < n; i++) {
		d->types[i] = types[i];
		d->types[i].name = text("%s", types[i].name);
	}
}

static void write_and_free(struct profile_data *d)
{
	set_totals(d);
	write_ok("mprof.data", d);
	profile_data_free(d);
}

/* The producer and the consumer of doc/tables.md, section 8. */
static void views_show_the_widgets(void **state)
{
	const char *names[] = { "main", "make_red_widget", "make_blue_widget", "make_widget" };
	struct profile_data *d = profile_of(names, 4);
	uint32_t main_ = node(d, PD_ROOT_WHOLE, 0);
	uint32_t red = node(d, main_, 1), blue = node(d, main_, 2);

	(void)state;
	leaf(d, node(d, red, 3), 204, 5019, 0);
	leaf(d, node(d, blue, 3), 204, 4981, 4981);
	add_types(d, (struct pd_type[]){ { 204, "widget", 0 } }, 1);
	write_and_free(d);
	assert_answer("SELECT * FROM bins", "204|10000|2040000|4981|1023876|widget\n");
	assert_answer("SELECT " OF_PATHS " FROM leaks",
		      "1023876|5019|1023876|0|0|0||| > main > make_red_widget > make_widget\n");
	assert_answer("SELECT * FROM direct",
		      "make_widget|2040000|0|2040000|0|0|1023876|0|1023876|0|0|10000\n");
	assert_answer("SELECT * FROM callgraph",
		      "main|make_red_widget|5019|1023876|0|1023876|0|0|0\n"
		      "make_red_widget|make_widget|5019|1023876|0|1023876|0|0|0\n"
		      "main|make_blue_widget|4981|1016124|0|1016124|0|0|0\n"
		      "make_blue_widget|make_widget|4981|1016124|0|1016124|0|0|0\n");
}

/* The cycle of section 8. */
static struct profile_data *cycle(void)
{
	const char *names[] = { "main", "F", "G", "leaf", "walk" };
	struct profile_data *d = profile_of(names, 5);
	uint32_t main_ = node(d, PD_ROOT_WHOLE, 0);
	uint32_t f = node(d, main_, 1), g = node(d, f, 2);
	uint32_t g2 = node(d, node(d, g, 1), 2);

	leaf(d, g2, 10, 1, 0);
	leaf(d, node(d, g2, 3), 40, 1, 0);
	leaf(d, node(d, main_, 3), 40, 1, 0);
	for (uint32_t walk = main_, i = 0; i < 3; i++)
		leaf(d, walk = node(d, walk, 4), 100, 1, 0);
	return d;
}

static void views_show_the_cycle(void **state)
{
	(void)state;
	write_and_free(cycle());
	assert_answer("SELECT * FROM bins", "10|1|10|0|10|\n40|2|80|0|80|\n100|3|300|0|300|\n");
	assert_answer("SELECT " OF_PATHS " FROM leaks",
		      "100|1|100|0|0|0||| > main > walk\n"
		      "100|1|100|0|0|0||| > main > walk > walk\n"
		      "100|1|100|0|0|0||| > main > walk > walk > walk\n"
		      "40|1|40|0|0|0||| > main > leaf\n"
		      "40|1|40|0|0|1|...> F > G > F > G > leaf\n"
		      "10|1|10|0|0|0||| > main > F > G > F > G\n");
	assert_answer("SELECT * FROM direct",
		      "walk|300|0|300|0|0|300|0|300|0|0|3\n"
		      "leaf|80|0|80|0|0|80|0|80|0|0|2\n"
		      "G|10|10|0|0|0|10|10|0|0|0|1\n");
	assert_answer("SELECT * FROM callgraph",
		      "main|walk|3|300|0|300|0|0|0\n"
		      "walk|walk|3|300|0|300|0|0|1\n"
		      "F|G|4|100|20|80|0|0|0\n"
		      "G|F|2|50|10|40|0|0|0\n"
		      "main|F|2|50|10|40|0|0|0\n"
		      "G|leaf|1|40|0|40|0|0|0\n"
		      "main|leaf|1|40|0|40|0|0|0\n");
}

/* One path whatever the call sites; but a whole chain and a truncated one are different. */
static void leaks_join_call_sites_and_keep_whole_chains_apart(void **state)
{
	const char *names[] = { "main", "f", "f's other site" };
	struct profile_data *d = profile_of(names, 3);
	uint32_t whole = node(d, PD_ROOT_WHOLE, 0), cut = node(d, PD_ROOT_TRUNCATED, 0);

	(void)state;
	d->sites[2].function = 1;
	leaf(d, PD_ROOT_WHOLE, 3, 1, 0);
	leaf(d, PD_ROOT_TRUNCATED, 4, 1, 0);
	leaf(d, whole, 0, 2, 1);		/* objects of 0 bytes count */
	leaf(d, node(d, whole, 1), 7, 3, 1);
	leaf(d, node(d, whole, 2), 5, 1, 0);	/* the same path */
	leaf(d, node(d, cut, 1), 6, 1, 0);	/* another path */
	leaf(d, node(d, cut, 2), 100, 1, 1);	/* nothing kept, but it is of the path before */
	leaf(d, node(d, node(d, whole, 1), 1), 9, 4, 4);	/* does not leak */
	write_and_free(d);
	assert_answer("SELECT " OF_PATHS " FROM leaks",
		      "19|4|26|1|7|0||| > main > f\n"
		      "6|2|106|1|100|1|...> main > f\n"
		      "4|1|4|0|0|1|...\n"
		      "3|1|3|0|0|0|||\n"
		      "0|2|0|1|0|0||| > main\n");
}

/* Lost blocks of a leaf count for its path, whatever the call site or size. */
static void leaks_tell_what_is_lost(void **state)
{
	const char *names[] = { "main", "f", "g", "f's other site", "h" };
	struct profile_data *d = profile_of(names, 5);
	uint32_t main_ = node(d, PD_ROOT_WHOLE, 0), f = node(d, main_, 1);

	(void)state;
	d->sites[3].function = 1;
	leaf(d, f, 10, 9, 1);
	leaf(d, f, 20, 3, 0);
	leaf(d, node(d, main_, 2), 8, 2, 0);
	leaf(d, node(d, main_, 3), 100, 1, 0);
	leaf(d, node(d, main_, 4), 1, 1, 0);
	d->leaves[0].reach[PD_LOST] = 4;
	d->leaves[0].reach[PD_LOST_THROUGH] = 1;
	d->leaves[0].reach[PD_POSSIBLE] = 2;
	d->leaves[1].reach[PD_LOST_THROUGH] = 3;
	d->leaves[3].reach[PD_LOST] = 1;
	d->leaves[4].reach[PD_POSSIBLE] = 1;
	d->reach.known = 1;
	for (int k = 0; k < PD_REACH_CLASSES; k++)
		d->reach.sums[k] = (struct pd_sum){ 9, 999 };
	write_and_free(d);
	assert_answer("SELECT " OF_PATHS ", '', lost_blocks, lost_bytes, lost_through_blocks,"
		      " lost_through_bytes, possible_blocks, possible_bytes FROM leaks",
		      "240|13|250|1|10|0||| > main > f||5|140|4|70|2|20\n"
		      "16|2|16|0|0|0||| > main > g||0|0|0|0|0|0\n"
		      "1|1|1|0|0|0||| > main > h||0|0|0|0|1|1\n");
}

static void what_nobody_has_looked_for_is_not_told_as_0(void **state)
{
	const char *names[] = { "main" };
	struct profile_data *d = profile_of(names, 1);

	(void)state;
	leaf(d, node(d, PD_ROOT_WHOLE, 0), 8, 1, 0);
	write_and_free(d);
	assert_answer("SELECT count(*) FROM leaks WHERE lost_blocks IS NULL AND lost_bytes IS NULL"
		      " AND lost_through_blocks IS NULL AND lost_through_bytes IS NULL"
		      " AND possible_blocks IS NULL AND possible_bytes IS NULL", "1\n");
}

/* A chain of exactly five functions is whole; one of six is not, nor is a truncated one of five. */
static void leaks_cut_paths_after_five_functions(void **state)
{
	const char *names[] = { "a", "b", "c", "d", "e", "f" };
	struct profile_data *d = profile_of(names, 6);

	(void)state;
	for (uint32_t root = 0; root < PD_FIRST_NODE; root++)
		for (uint32_t i = 0, n = root; i < 6; i++) {
			n = node(d, n, i);
			if (i >= 4)
				leaf(d, n, root ? 60 - i : 80 - i, 1, 0);
		}
	write_and_free(d);
	assert_answer("SELECT kept_bytes, truncated, path FROM leaks",
		      "130|1|...> b > c > d > e > f\n"	/* 75 and 55 */
		      "76|0||| > a > b > c > d > e\n"
		      "56|1|...> a > b > c > d > e\n");
}

static void same_names_are_two_functions(void **state)
{
	const char *names[] = { "main", "twin", "twin" };
	struct profile_data *d = profile_of(names, 3);
	uint32_t main_ = node(d, PD_ROOT_WHOLE, 0);

	(void)state;
	leaf(d, node(d, main_, 1), 8, 1, 0);
	leaf(d, node(d, main_, 2), 8, 1, 0);
	write_and_free(d);
	assert_answer("SELECT path FROM leaks", "|| > main > twin\n|| > main > twin\n");
	assert_answer("SELECT function, bytes FROM direct", "twin|8\ntwin|8\n");
	assert_answer("SELECT caller, callee, bytes FROM callgraph", "main|twin|8\nmain|twin|8\n");
}

static void sizes_fall_into_their_classes(void **state)
{
	const char *names[] = { "main", "f" };
	const uint64_t sizes[] = { 0, 1, 32, 33, 256, 257, 2048, 2049, UINT64_C(5000000000) };
	struct profile_data *d = profile_of(names, 2);
	uint32_t f = node(d, node(d, PD_ROOT_WHOLE, 0), 1);

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		leaf(d, f, sizes[i], 2, 1);
	write_and_free(d);
	assert_answer("SELECT * FROM direct", "f|10000009352|66|578|4610|10000004098|"
		      "5000004676|33|289|2305|5000002049|18\n");
	assert_answer("SELECT * FROM callgraph",
		      "main|f|18|10000009352|66|578|4610|10000004098|0\n");
}

static void bins_list_the_types_by_rank_and_name(void **state)
{
	const char *names[] = { "main" };
	struct profile_data *d = profile_of(names, 1);
	uint32_t main_ = node(d, PD_ROOT_WHOLE, 0);
	const struct pd_type types[] = {
		{ 8, "b", 0 }, { 8, "c", 0 }, { 8, "a", 1 }, { 16, "unused", 0 }, { 24, "z", 3 },
	};

	(void)state;
	leaf(d, main_, 8, 1, 0);
	leaf(d, main_, 9, 1, 0);
	leaf(d, main_, 24, 1, 1);
	add_types(d, types, 5);
	write_and_free(d);
	assert_answer("SELECT size, types FROM bins", "8|b, c, a\n9|\n24|z\n");
}

static void views_of_an_empty_profile_are_empty(void **state)
{
	(void)state;
	write_and_free(profile_data_new());
	assert_answer("SELECT * FROM bins", "");
	assert_answer("SELECT " OF_PATHS " FROM leaks", "");
	assert_answer("SELECT * FROM direct", "");
	assert_answer("SELECT * FROM callgraph", "");
}

/* 100 000 calls deep: a recursive query over all ancestors could not do that. */
static void deep_recursion_is_one_arc(void **state)
{
	const char *names[] = { "f" };
	struct profile_data *d = profile_of(names, 1);
	uint32_t depth = 100000, n = PD_ROOT_WHOLE;

	(void)state;
	d->nodes = realloc(d->nodes, (depth + 2) * sizeof *d->nodes);
	for (uint32_t i = 0; i < depth; i++)
		n = node(d, n, 0);
	leaf(d, n, 10, 2, 0);
	write_and_free(d);
	assert_answer("SELECT * FROM callgraph", "f|f|199998|1999980|1999980|0|0|0|1\n");
	assert_answer("SELECT path FROM leaks", "...> f > f > f > f > f\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(views_show_the_widgets, test_dir_clean),
		cmocka_unit_test_teardown(views_show_the_cycle, test_dir_clean),
		cmocka_unit_test_teardown(leaks_join_call_sites_and_keep_whole_chains_apart,
					  test_dir_clean),
		cmocka_unit_test_teardown(leaks_tell_what_is_lost, test_dir_clean),
		cmocka_unit_test_teardown(what_nobody_has_looked_for_is_not_told_as_0,
					  test_dir_clean),
		cmocka_unit_test_teardown(leaks_cut_paths_after_five_functions, test_dir_clean),
		cmocka_unit_test_teardown(same_names_are_two_functions, test_dir_clean),
		cmocka_unit_test_teardown(sizes_fall_into_their_classes, test_dir_clean),
		cmocka_unit_test_teardown(bins_list_the_types_by_rank_and_name, test_dir_clean),
		cmocka_unit_test_teardown(views_of_an_empty_profile_are_empty, test_dir_clean),
		cmocka_unit_test_teardown(deep_recursion_is_one_arc, test_dir_clean),
	};

	return cmocka_run_group_tests_name("datafile views", tests, test_dir_make, test_dir_remove);
}
