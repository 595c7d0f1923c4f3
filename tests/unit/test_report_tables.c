/* SPDX-License-Identifier: BSD-2-Clause */
/* The worked examples of doc/tables.md, section 8, byte for byte. */
#include "unit/test_report_text.h"

#include <errno.h>

static const char widgets_report[] =
"--c33+--v4.0+--m3+--+--+--+--+--+--+--+--+ MPROF +--+--+--+--+--+--+--s0+--f0+--d0+--l0+\n"
"\n"
"\n"
"--------- Allocation Bins with possible Types ------------\n"
"\n"
"      size:    allocs     bytes (%)      frees      kept (%)     types\n"
"\n"
"        204     10000   2040000 (**)      4981   1023876 (**)   widget\n"
"     > 1024         0         0              0         0\n"
"\n"
"    <TOTAL>     10000   2040000           4981   1023876\n"
"\f\n"
"\n"
"--------- Partial Dynamic Call Paths for Memory Leaks ------------\n"
"\n"
"Total bytes not freed: 1023876\n"
"\n"
"kept bytes (%)     allocs     bytes (%)     path\n"
"\n"
"   1023876 (**)      5019   1023876 (**)   || > main > make_red_widget > make_widget\n"
"\n"
"\f\n"
"\n"
"---------  Direct Allocation Table ------------\n"
"\n"
"     % mem        bytes | % mem(size) |   bytes kept |  % all kept |        calls   name\n"
"\n"
"---------------------------s--m--l--x-------------------s--m--l--x---------------\n"
"\n"
"     -----      2040000 |    **       |      1023876 |    **       |        10000   <TOTAL>\n"
"\n"
"     100.0      2040000 |    **       |      1023876 |    **       |        10000   make_widget\n"
"\f\n"
"\n"
"        self                |     /ances  |     /ances  |  called/total       ancestors\n"
"index    +       self (%)   | size-func   | frac        |  called/recur   name [index]\n"
"        desc                |     \\desc   |     \\desc   |  called/total       descendents\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"[0]    100.0        0       |             | ----------- |       0         main [0]\n"
"              1023876 (50)  |    **       |    50       |    5019/5019        make_red_widget "
"[2]\n"
"              1016124 (49)  |    **       |    49       |    4981/4981        make_blue_widget "
"[3]\n"
"         all  2040000       |    **       |             |\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"         all  2040000       |    **       |             |\n"
"              1023876 (50)  |    **       |    50       |    5019/5019        make_red_widget "
"[2]\n"
"              1016124 (49)  |    **       |    49       |    4981/4981        make_blue_widget "
"[3]\n"
"[1]    100.0  2040000 (**)  |    **       | ----------- |   10000         make_widget [1]\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"              1023876 (**)  |    **       |    **       |    5019/10000       main [0]\n"
"[2]     50.2        0       |             | ----------- |    5019         make_red_widget [2]\n"
"              1023876 (**)  |    **       |    **       |    5019/10000       make_widget [1]\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"              1016124 (**)  |    **       |    **       |    4981/10000       main [0]\n"
"[3]     49.8        0       |             | ----------- |    4981         make_blue_widget [3]\n"
"              1016124 (**)  |    **       |    **       |    4981/10000       make_widget [1]\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n";

static const char cycle_table[] =
"        self                |     /ances  |     /ances  |  called/total       ancestors\n"
"index    +       self (%)   | size-func   | frac        |  called/recur   name [index]\n"
"        desc                |     \\desc   |     \\desc   |  called/total       descendents\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"[0]    100.0        0       |             | ----------- |       0         main [0]\n"
"                  300 (76)  |    **       |    76       |       3/3           walk [1]\n"
"                   40 (10)  |    **       |    10       |       1/2           leaf [2]\n"
"                   50 (12)  | 20 80       |  2 10       |       2/2           F [5] in <cycle 1>\n"
"         all      390       |  2 97       |             |\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"                  300 (**)  |    **       |    **       |       3/6           main [0]\n"
"[1]     76.9      300 (**)  |    **       | ----------- |       3+3       walk [1]\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"         all       80       |    **       |             |\n"
"                   40 (50)  |    **       |    50       |       1/6           main [0]\n"
"                   40 (50)  |    **       |    50       |       1/1           G [4] in <cycle 1>\n"
"[2]     20.5       80 (**)  |    **       | ----------- |       2         leaf [2]\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"[3]     12.8       10 (20)  | **          | ----------- |       2+6       <cycle 1> [3] as a "
"whole\n"
"                   10 (**)  | **          | **          |                     G [4] in <cycle 1>\n"
"                    0       |             |             |                     F [5] in <cycle 1>\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"                   50 (**)  | 20 80       | 20 80       |       2/6           main [0]\n"
"[3]     12.8       10 (20)  | **          | ----------- |       2+6       <cycle 1> [3]\n"
"                   40 (**)  |    **       |    **       |       1/2           leaf [2]\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"                            |             |             |       4             F [5] in <cycle 1>\n"
"[4]      2.6       10       | **          | ----------- |       4         G [4] in <cycle 1>\n"
"                   40 (**)  |    **       |    **       |       1/2           leaf [2]\n"
"                            |             |             |       2             F [5] in <cycle 1>\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n"
"                   50 (**)  | 20 80       | 20 80       |       2/6           main [0]\n"
"                            |             |             |       2             G [4] in <cycle 1>\n"
"[5]      0.0        0       |             | ----------- |       4         F [5] in <cycle 1>\n"
"                            |             |             |       4             G [4] in <cycle 1>\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n";

static const char empty_report[] =
"--c 0+--v4.0+--m0+--+--+--+--+--+--+--+--+ MPROF +--+--+--+--+--+--+--s0+--f0+--d0+--l0+\n"
"\n"
"\n"
"--------- Allocation Bins with possible Types ------------\n"
"\n"
"      size:    allocs     bytes (%)      frees      kept (%)     types\n"
"\n"
"     > 1024         0         0              0         0\n"
"\n"
"    <TOTAL>         0         0              0         0\n"
"\f\n"
"\n"
"---------  Direct Allocation Table ------------\n"
"\n"
"     % mem        bytes | % mem(size) |   bytes kept |  % all kept |        calls   name\n"
"\n"
"---------------------------s--m--l--x-------------------s--m--l--x---------------\n"
"\n"
"     -----            0 |             |            0 |             |            0   <TOTAL>\n"
"\n"
"\f\n"
"\n"
"        self                |     /ances  |     /ances  |  called/total       ancestors\n"
"index    +       self (%)   | size-func   | frac        |  called/recur   name [index]\n"
"        desc                |     \\desc   |     \\desc   |  called/total       descendents\n"
"\n"
"-------------------------------s--m--l--x----s--m--l--x----------\n"
"\n";

static struct profile_data *widgets(void)
{
	struct profile_data *d = profile_data_new();
	uint32_t red = pd_build_path(d, PD_ROOT_WHOLE, "main+31 > make_red_widget+13");
	uint32_t blue = pd_build_path(d, PD_ROOT_WHOLE, "main+38 > make_blue_widget+13");

	pd_build_chain(d, "main+31 > make_red_widget+13 > make_widget+18", 204, 5019, 0);
	pd_build_chain(d, "main+38 > make_blue_widget+13 > make_widget+18", 204, 4981, 4981);
	/* two of three elements, in one request of two */
	d->nodes[red].resumed = 2500;
	d->nodes[blue].resumed = 2510;
	pd_build_type(d, 204, "widget", 0);
	pd_build_finish(d);
	return d;
}

static void widgets_print_as_in_the_worked_example(void **state)
{
	(void)state;
	struct profile_data *d = widgets();

	for (enum report_level l = REPORT_TERSE; l <= REPORT_VERBOSE; l++) {
		char *text = tables_text(d, l, REPORT_LEAKS);

		assert_text(text, widgets_report);
		free(text);
	}
	profile_data_free(d);
}

static void noleaktable_leaves_out_table_2_only(void **state)
{
	(void)state;
	struct profile_data *d = widgets();
	char *text = tables_text(d, REPORT_NORMAL, REPORT_NO_LEAKS), *want = strdup(widgets_report);
	char *table2 = strstr(want, "--------- Partial"),
	     *table3 = strstr(want, "---------  Direct");

	memmove(table2, table3, strlen(table3) + 1);
	assert_text(text, want);
	free(want);
	free(text);
	profile_data_free(d);
}

static void offsets_stand_behind_the_names_of_table_2(void **state)
{
	(void)state;
	struct profile_data *d = widgets();
	char *text = tables_text(d, REPORT_NORMAL, REPORT_LEAKS_OFFSETS);

	assert_has(text, "   1023876 (**)      5019   1023876 (**)"
			 "   || > main+31 > make_red_widget+13 > make_widget+18\n");
	free(text);
	profile_data_free(d);
}

static void cycle_prints_as_in_the_worked_example(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > F > G > F > G+1", 10, 1, 0);
	pd_build_chain(d, "main > F > G > F > G+2 > leaf", 40, 1, 0);
	pd_build_chain(d, "main > leaf", 40, 1, 0);
	pd_build_chain(d, "main > walk+1", 100, 1, 0);
	pd_build_chain(d, "main > walk+2 > walk+1", 100, 1, 0);
	pd_build_chain(d, "main > walk+2 > walk+2 > walk+1", 100, 1, 0);
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_text(strstr(text, "        self "), cycle_table);
	free(text);
}

static void run_without_a_request_has_a_report(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	for (enum report_level l = REPORT_TERSE; l <= REPORT_VERBOSE; l++) {
		char *text = tables_text(d, l, REPORT_LEAKS);

		assert_text(text, empty_report);
		free(text);
	}
	profile_data_free(d);
}

static void the_head_tells_of_events_that_were_lost(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	d->unseen.lost = 220666;
	char *text = tables_text(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_has(text, "--c 0+--v4.0+--m0+--+--+--+--+--+--+--+--+ MPROF "
			 "+--+--+--+--+--+--+--s0+--f0+--d0+--l0+\n"
			 "220666 events lost: the numbers below are without them\n"
			 "\n\n");
	free(text);
	profile_data_free(d);
}

static void prolog_shows_memory_in_whole_kilobytes(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	d->memory = (struct pd_memory){ .paths = 1023, .functions = 1024, .counters = 20479,
					.links = 1048576 };
	pd_build_chain(d, "main > a > b > c", 8, 4, 0);
	pd_build_cut_chain(d, "x > y > c > d > e", 8, 2, 0);
	d->nodes[pd_build_path(d, PD_ROOT_WHOLE, "main > a > b")].resumed = 2;
	d->nodes[pd_build_path(d, PD_ROOT_TRUNCATED, "x")].resumed = 1;
	char *text = tables_of(d, REPORT_NORMAL, REPORT_LEAKS);

	/* 4 x 4 + 2 x 5 = 26 elements met, 2 x 3 + 1 the same: 26.9% */
	assert_has(text, "--c26+--v4.0+--m5+--+--+--+--+--+--+--+--+ MPROF "
			 "+--+--+--+--+--+--+--s0+--f1+--d19+--l1024+\n\n\n");
	free(text);
}

/* What report_json() or report_tables() says when nothing can be written, with such a buffer. */
static int error_on_full_device(const struct profile_data *d, bool json, size_t buffer)
{
	struct report_options o = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS };
	FILE *f = fopen("/dev/full", "w");
	char text[1 << 16];

	assert_true(f && buffer <= sizeof text);
	setvbuf(f, text, buffer ? _IOFBF : _IONBF, buffer);
	int err = json ? report_json(d, &o, f) : report_tables(d, &o, f);

	fclose(f);
	return err;
}

static void full_device_is_an_error(void **state)
{
	(void)state;
	struct profile_data *d = widgets();

	/* Found in the end, at once, or somewhere in the middle of a piece. */
	for (size_t buffer = 1 << 16; ; buffer = buffer > 64 ? buffer / 2 : buffer - 1) {
		assert_int_equal(error_on_full_device(d, false, buffer), -ENOSPC);
		assert_int_equal(error_on_full_device(d, true, buffer), -ENOSPC);
		if (!buffer)
			break;
	}
	profile_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widgets_print_as_in_the_worked_example),
		cmocka_unit_test(noleaktable_leaves_out_table_2_only),
		cmocka_unit_test(offsets_stand_behind_the_names_of_table_2),
		cmocka_unit_test(cycle_prints_as_in_the_worked_example),
		cmocka_unit_test(run_without_a_request_has_a_report),
		cmocka_unit_test(the_head_tells_of_events_that_were_lost),
		cmocka_unit_test(prolog_shows_memory_in_whole_kilobytes),
		cmocka_unit_test(full_device_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
