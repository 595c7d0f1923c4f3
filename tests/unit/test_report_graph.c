/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 4, and long chains through all of the report. */
#include "unit/test_report_text.h"

#define RULE "\n-------------------------------s--m--l--x----s--m--l--x----------\n\n"

static char *graph_at(struct profile_data *d, enum report_level level)
{
	char *text = tables_of(d, level, REPORT_NO_LEAKS);
	char *table = strstr(text, "        self  ");

	assert_non_null(table);
	table = strdup(table);
	free(text);
	return table;
}

static char *graph_of(struct profile_data *d)
{
	return graph_at(d, REPORT_NORMAL);
}

static void callers_come_before_what_they_call(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	/* The same bytes everywhere. z calls y calls x, and z calls x: the longest way counts. */
	pd_build_chain(d, "z > y > x", 10, 1, 0);
	pd_build_chain(d, "z > x", 0, 1, 0);
	pd_build_chain(d, "b", 10, 1, 0);
	char *text = graph_of(d);

	assert_has(text, "[0]     50.0       10 (**)  | **          | ----------- |       "
			 "0         b [0]\n");
	assert_has(text, "[1]     50.0        0       |             | ----------- |       "
			 "0         z [1]\n"
			 "                   10 (**)  | **          | **          |       "
			 "1/1           y [2]\n"
			 "                    0       |             |             |       "
			 "1/2           x [3]\n"
			 "         all       10       | **          |             |\n");
	assert_has(text, "[2]     50.0        0       |             | ----------- |       "
			 "1         y [2]\n");
	assert_has(text, "         all       10       | **          |             |\n"
			 "                    0       |             |             |       "
			 "1/2           z [1]\n"
			 "                   10 (**)  | **          | **          |       "
			 "1/1           y [2]\n"
			 "[3]     50.0       10 (**)  | **          | ----------- |       "
			 "2         x [3]\n");
	free(text);
}

static void longest_way_counts_not_the_last_one_seen(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > a", 0, 1, 0);
	pd_build_chain(d, "b > c > d > a", 10, 1, 0);
	char *text = graph_of(d);

	assert_has(text, "[3]    100.0       10 (**)  | **          | ----------- |       "
			 "2         a [3]\n");
	free(text);
}

static void relatives_of_one_name_are_by_address_though_names_fall(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_function(d, "f#1");
	pd_build_chain(d, "main > f#2", 1, 1, 0);
	pd_build_chain(d, "main > f#1", 8, 1, 0);
	pd_build_chain(d, "main > g", 2, 1, 0);
	pd_build_chain(d, "main > a", 4, 1, 0);
	char *text = graph_of(d);

	assert_has(text, "                    2 (13)  | **          | 13          |       "
			 "1/1           g [3]\n"
			 "                    8 (53)  | **          | 53          |       "
			 "1/1           f [1]\n"
			 "                    1 (6)   | **          |  6          |       "
			 "1/1           f [4]\n"
			 "                    4 (26)  | **          | 26          |       "
			 "1/1           a [2]\n"
			 "         all       15       | **          |             |\n");
	free(text);
}

static void chain_that_begins_in_a_cycle(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f > main > f", 100, 2, 0);
	pd_build_chain(d, "main", 50, 1, 0);
	char *text = graph_of(d);

	assert_has(text,
		   "[0]    100.0      250 (**)  |    **       | ----------- |       0+6       "
		   "<cycle 1> [0] as a whole\n"
		   "                  200 (80)  |    **       |    80       |                     "
		   "f [1] in <cycle 1>\n"
		   "                   50 (20)  |    **       |    20       |                     "
		   "main [2] in <cycle 1>\n"
		   RULE
		   "[0]    100.0      250 (**)  |    **       | ----------- |       0+6       "
		   "<cycle 1> [0]\n"
		   RULE);
	assert_has(text, "                            |             |             |       "
			 "4             main [2] in <cycle 1>\n"
			 "[1]     80.0      200       |    **       | ----------- |       "
			 "4         f [1] in <cycle 1>\n"
			 "                            |             |             |       "
			 "2             main [2] in <cycle 1>\n");
	free(text);
}

static void edges_between_two_cycles_are_one_edge_of_the_cycles(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	/* a and b call each other, so do x and y; a calls x and y, b calls x. */
	pd_build_chain(d, "main > a > b > a > x > y > x", 10, 1, 0);
	pd_build_chain(d, "main > b > a > y > x > y", 20, 1, 0);
	pd_build_chain(d, "main > a > b > x", 100, 1, 0);
	pd_build_chain(d, "a_last > x", 1, 1, 0);
	char *text = graph_of(d);

	/* Equal bytes: main comes first, the smaller level; x and y with 131 before them all. */
	assert_has(text,
		   "         all      131       | 23 76       |             |\n"
		   "                    1 (.)   | **          |  .          |       1/1           "
		   "a_last [5]\n"
		   "                  130 (99)  | 23 76       | 22 76       |       3/3           "
		   "<cycle 2> [2]\n"
		   "[0]    100.0      131 (**)  | 23 76       | ----------- |       4+4       "
		   "<cycle 1> [0]\n");
	assert_has(text,
		   "                  130 (**)  | 23 76       | 23 76       |       3/3           "
		   "main [1]\n"
		   "[2]     99.2        0       |             | ----------- |       3+4       "
		   "<cycle 2> [2]\n"
		   "                  130 (**)  | 23 76       | 23 76       |       3/4           "
		   "<cycle 1> [0]\n");
	/* The function a sees functions, not cycles, and its shares are those of its cycle. */
	assert_has(text,
		   "                  110 (84)  |  9 90       |  7 76       |       2/3           "
		   "main [1]\n"
		   "                            |             |             |       2             "
		   "b [7] in <cycle 2>\n"
		   "[6]      0.0        0       |             | ----------- |       4         a "
		   "[6] in <cycle 2>\n"
		   "                   20 (15)  | **          | 15          |       1/4           "
		   "y [4] in <cycle 1>\n"
		   "                   10 (7)   | **          |  7          |       1/4           "
		   "x [3] in <cycle 1>\n"
		   "                            |             |             |       2             "
		   "b [7] in <cycle 2>\n");
	free(text);
}

static void wide_numbers_push_their_line(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f", 1, 123456789, 0);
	pd_build_chain(d, "main > f > f", 1, 1000000000, 0);
	char *text = graph_of(d);

	assert_has(text,
		   "[0]    100.0        0       |             | ----------- |       0         main "
		   "[0]\n"
		   "            1123456789 (**)  | **          | **          | "
		   "1123456789/1123456789    f [1]\n"
		   );
	assert_has(text,
		   "[1]    100.0 1123456789 (**)  | **          | ----------- | "
		   "1123456789+1000000000 f [1]\n");
	free(text);
}

/* A chain of @n functions, so far without a request. Its last node is @n + 1. */
static struct profile_data *long_chain(uint32_t n)
{
	struct profile_data *d = profile_data_new();

	d->functions = calloc(n, sizeof *d->functions);
	d->sites = calloc(n, sizeof *d->sites);
	d->nodes = realloc(d->nodes, (n + PD_FIRST_NODE) * sizeof *d->nodes);
	assert_true(d->functions && d->sites && d->nodes);
	d->n_functions = d->n_sites = n;
	d->n_nodes = n + PD_FIRST_NODE;
	for (uint32_t i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof name, "f%06u", i);
		d->functions[i] = (struct pd_function){ .name = strdup(name), .address = i };
		d->sites[i] = (struct pd_site){ .function = i };
		d->nodes[i + PD_FIRST_NODE] = (struct pd_node){
			.parent = i ? i + PD_FIRST_NODE - 1 : PD_ROOT_WHOLE,
			.site = i,
		};
	}
	return d;
}

static void chain_of_100000_functions_is_no_problem(void **state)
{
	(void)state;
	struct profile_data *d = long_chain(100000);

	pd_build_leaf(d, 100001, 8, 3, 0);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_int_equal(strncmp(text, "--c 0+--v4.0+--m100000+--+", 26), 0);
	assert_has(text, "        24 (**)         3        24 (**)   "
			 "...> f099995 > f099996 > f099997 > f099998 > f099999\n");
	assert_has(text, "                   24 (**)  | **          | **          |       "
			 "3/3           f099998 [99998]\n"
			 "[99999]  100.0       24 (**)  | **          | ----------- |       "
			 "3         f099999 [99999]\n");
	free(text);
}

static void cycle_of_100000_functions_is_no_problem(void **state)
{
	(void)state;
	struct profile_data *d = long_chain(100000);

	d->sites[99999].function = 0;	/* the last one is the first again */
	pd_build_leaf(d, 100001, 8, 1, 0);
	char *text = graph_of(d);

	assert_has(text, "[0]    100.0        8 (**)  | **          | ----------- |       "
			 "0+99999   <cycle 1> [0] as a whole\n"
			 "                    8 (**)  | **          | **          "
			 "|                     f000000 [1] in <cycle 1>\n");
	free(text);
}

/* 1000 recursive calls of one function: the arc counts each time. */
static void recursion_counts_every_pass_over_the_arc(void **state)
{
	(void)state;
	struct profile_data *d = long_chain(1001);

	for (uint32_t i = 1; i < 1001; i++)
		d->sites[i].function = 1;
	for (uint32_t i = 1; i < 1001; i++)
		pd_build_leaf(d, i + PD_FIRST_NODE, 1, 1, 0);
	char *text = graph_of(d);

	/* 0 + 1 + ... + 999 */
	assert_has(text, "                 1000 (**)  | **          | **          |    "
			 "1000/1000        f000000 [0]\n"
			 "[1]    100.0     1000 (**)  | **          | ----------- |    "
			 "1000+499500  f000001 [1]\n");
	free(text);
}

static void chain_that_is_cut_begins_with_its_first_function(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_cut_chain(d, "f > g", 1, 1, 0);
	char *text = graph_of(d);

	assert_has(
		text, RULE
		"[0]    100.0        0       |             | ----------- |       0         f [0]\n"
		"                    1 (**)  | **          | **          |       "
		"1/1           g [1]\n" RULE);
	assert_has_not(text, "?");
	free(text);
}

static void places_without_requests_are_not_in_the_graph(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f", 1, 1, 0);
	pd_build_path(d, PD_ROOT_WHOLE, "main > f > unused");
	char *text = graph_of(d);

	assert_has_not(text, "unused");
	free(text);
}

/* 10,000 bytes: 9,000 in big, and @n functions below main with 1% of them or less. */
static struct profile_data *with_a_tail(unsigned n, uint64_t rest)
{
	struct profile_data *d = profile_data_new();
	char chain[32];

	for (unsigned i = 0; i < n; i++) {
		snprintf(chain, sizeof chain, "main > t%02u", i);
		pd_build_chain(d, chain, i ? 10 : 100, 1, 0);
	}
	pd_build_chain(d, "main > big", 9000, 1, 0);
	pd_build_chain(d, "main > big > t01", 10, 1, 0);
	pd_build_chain(d, "main", rest, 1, 0);
	return d;
}

static void a_short_tail_is_part_of_a_terse_graph(void **state)
{
	(void)state;
	char *text = graph_at(with_a_tail(9, 10000 - 9000 - 190), REPORT_TERSE);
	char *whole = graph_of(with_a_tail(9, 10000 - 9000 - 190));

	assert_text(text, whole);
	free(text);
	free(whole);
}

static void a_terse_graph_leaves_out_a_tail_and_counts_it(void **state)
{
	(void)state;
	char *text = graph_at(with_a_tail(10, 10000 - 9000 - 200), REPORT_TERSE);

	assert_text(strstr(text, "[0]"),
		    "[0]    100.0      800 (8)   |       **    | ----------- |       0         "
		    "main [0]\n"
		    "                 9010 (97)  |  .       99 |  .       97 |       2/2           "
		    "big [1]\n"
		    "                  190 (2)   | 47 52       |  .  1       |      10             "
		    "10 others\n"
		    "         all     9200       |  1  1    97 |             |\n"
		    RULE
		    "                 9010 (**)  |  .       99 |  .       99 |       2/12          "
		    "main [0]\n"
		    "[1]     90.1     9000 (99)  |          ** | ----------- |       2         big "
		    "[1]\n"
		    "                   10 (**)  | **          | **          |       1             "
		    "1 other\n"
		    RULE
		    "10 functions are left out: with all they called, each requested at most 1% of "
		    "the bytes; directly, together 200\n");
	free(text);
	/* One byte more than 1% has an entry: what is left is too few to be left out. */
	text = graph_at(with_a_tail(10, 10000 - 9000 - 201), REPORT_TERSE);
	assert_has_not(text, "left out");
	free(text);
}

static void a_cycle_in_a_terse_graph_has_all_its_members(void **state)
{
	(void)state;
	struct profile_data *d = with_a_tail(10, 0);

	pd_build_chain(d, "main > f > g > f > g", 8000, 1, 0);
	char *text = graph_at(d, REPORT_TERSE);

	assert_has(text, "                            |             |             |       "
			 "2             f [14] in <cycle 1>\n"
			 "[3]     46.5     8000       |          ** | ----------- |       "
			 "2         g [3] in <cycle 1>\n");
	/* What it requested itself is nothing, and its number is that of a whole graph. */
	assert_non_null(strstr(text, "\n[14]     0.0        0 "));
	assert_has_not(text, "t00");
	free(text);
}

static void of_no_bytes_nothing_is_left_out(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	char chain[32];

	for (unsigned i = 0; i < 20; i++) {
		snprintf(chain, sizeof chain, "main > t%02u", i);
		pd_build_chain(d, chain, 0, 1, 0);
	}
	char *text = graph_at(d, REPORT_TERSE);

	assert_has_not(text, "left out");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_come_before_what_they_call),
		cmocka_unit_test(longest_way_counts_not_the_last_one_seen),
		cmocka_unit_test(relatives_of_one_name_are_by_address_though_names_fall),
		cmocka_unit_test(chain_that_begins_in_a_cycle),
		cmocka_unit_test(edges_between_two_cycles_are_one_edge_of_the_cycles),
		cmocka_unit_test(wide_numbers_push_their_line),
		cmocka_unit_test(chain_of_100000_functions_is_no_problem),
		cmocka_unit_test(cycle_of_100000_functions_is_no_problem),
		cmocka_unit_test(recursion_counts_every_pass_over_the_arc),
		cmocka_unit_test(chain_that_is_cut_begins_with_its_first_function),
		cmocka_unit_test(places_without_requests_are_not_in_the_graph),
		cmocka_unit_test(a_short_tail_is_part_of_a_terse_graph),
		cmocka_unit_test(a_terse_graph_leaves_out_a_tail_and_counts_it),
		cmocka_unit_test(a_cycle_in_a_terse_graph_has_all_its_members),
		cmocka_unit_test(of_no_bytes_nothing_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
