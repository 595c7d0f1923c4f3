/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "top/lines.h"

#include <stdlib.h>
#include <string.h>

static const struct top_head rated = {
	.pid = 12,
	.seconds = 3.25,
	.live_bytes = 1000,
	.live_blocks = 10,
	.allocs = 30,
	.frees = 20,
	.truncated = 1,
	.unknown_frees = 2,
	.lost = 3,
	.rss_kib = 4096,
	.threads = 2,
	.has_rates = true,
	.allocs_per_s = 1.5,
	.frees_per_s = 0.5,
	.busy_percent = 12.34,
	.slowdown = 1.567,
};

static struct top_row row = { .name = (char *)(uintptr_t) "f (a.c:1)",
			      .live_bytes = 600,
			      .live_blocks = 77,
			      .allocs = 7,
			      .temporary = 555,
			      .growth = -20,
			      .allocs_per_s = 2,
			      .size = 100 };

static char *text;
static size_t len;

static FILE *begin(void)
{
	free(text);
	text = NULL;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	return out;
}

static void assert_head(const struct top_head *h, const char *expected)
{
	FILE *out = begin();

	top_print_head(h, "prog", out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
}

static void the_head_tells_what_is_known(void **state)
{
	struct top_head h = rated;

	(void)state;
	assert_head(&h, "process 12 (prog), 3.2 s, tracing, engine trap, tracer busy 12.3 %, "
			"slowdown 1.57\n"
			"live 1000 bytes in 10 blocks; 1.5 allocations/s, 0.5 frees/s\n"
			"RSS 4096 KiB, 2 threads; truncated chains 1, unknown frees 2, events "
			"lost 3\n");
	h.has_rates = false;
	h.slowdown = 0;
	h.fast = h.suspended = true;
	h.rss_kib = 0;
	h.left_out = 8;
	assert_head(&h, "process 12 (prog), 3.2 s, suspended, engine fast, tracer busy - %, "
			"slowdown -\n"
			"live 1000 bytes in 10 blocks; - allocations/s, - frees/s\n"
			"truncated chains 1, unknown frees 2, events lost 3; not in rows: 8 of the "
			"lightest\n");
}

static void a_program_that_is_slow_has_word_of_the_fast_engine(void **state)
{
	static const char line[] = "traps make it that slow: with --engine=fast the slowdown "
				   "would be about 1.2\n";
	struct top_head h = rated;
	FILE *out;

	(void)state;
	h.slowdown = 3;
	h.fast_slowdown = 1.23;
	h.allocs_per_s = 2000;
	for (h.slowdown = 2; h.slowdown < 4; h.slowdown++) {
		out = begin();
		top_print_head(&h, "prog", out);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(!strstr(text, line), h.slowdown == 2);
		assert_int_equal(!strstr(text, "frees/s at the slowed pace\n"), h.slowdown == 2);
	}
	/* Nobody notices. */
	h.allocs_per_s = 900;
	out = begin();
	top_print_head(&h, "prog", out);
	assert_int_equal(fclose(out), 0);
	assert_null(strstr(text, "--engine"));
	assert_null(strstr(text, "pace"));
	h.allocs_per_s = 2000;
	/* It is that engine already, or would be no better. */
	for (h.fast_slowdown = 0; h.fast_slowdown < 5; h.fast_slowdown += 4) {
		out = begin();
		top_print_head(&h, "prog", out);
		assert_int_equal(fclose(out), 0);
		assert_null(strstr(text, "--engine"));
	}
}

static void assert_columns(const struct top_how *how, int columns, const char *expected)
{
	FILE *out = begin();

	top_print_columns(how, columns, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
}

static void where_there_is_no_room_columns_give_way_to_the_name(void **state)
{
	static struct top_row named;
	struct top_how how = { .sort = TOP_LIVE };

	(void)state;
	named = row;
	named.name = (char *)(uintptr_t) "std::vector<std::string>::reserve_more (widget.cpp:123)";
	assert_columns(&how, 100,
		       "   live bytes*      blocks       growth    allocs/s   temporary  "
		       "call site\n");
	assert_columns(&how, 80, "   live bytes*       growth    allocs/s  call site\n");
	assert_columns(&how, 60, "   live bytes*       growth  call site\n");
	assert_columns(&how, 20, "   live bytes* call site\n");
	/* What they are sorted by stays. */
	how.sort = TOP_TEMPORARY;
	assert_columns(&how, 60, "   live bytes   temporary* call site\n");
	FILE *out = begin();
	top_print_row(&rated, &how, &named, 60, out);
	top_print_row(&rated, &how, &named, 3, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "          600         555  std::vector<std...widget.cpp:123)\n"
				  "          600         555  >\n");
	how.depth = 2;
	out = begin();
	top_print_row(&rated, &how, &named, 60, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text,
			    "          600         555  std::vector<std::string>::reserv>\n");
	how = (struct top_how){ .by = TOP_THREADS, .sort = TOP_GROWTH };
	assert_columns(&how, 60, "bytes requested    new bytes*   thread  name\n");
}

static void a_size_of_which_no_type_is_known_says_so(void **state)
{
	const struct top_how how = { .by = TOP_SIZES };
	struct top_row unknown = row;
	FILE *out = begin();

	(void)state;
	unknown.name = (char *)(uintptr_t) "";
	top_print_row(&rated, &how, &unknown, 0, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, " 100  (type not known)\n"));
}

/* A heading ends where its numbers end. */
static void columns_stand_under_each_other(void **state)
{
	static const char *const heads[] = { "live bytes", "blocks", "growth", "allocs/s",
					     "temporary" };
	static const char *const values[] = { "600", "77", "-20", "2.0", "555" };
	const struct top_how how = { .sort = TOP_ALLOCS };
	FILE *out = begin();

	(void)state;
	top_print_columns(&how, 0, out);
	size_t first = (size_t)ftell(out);
	top_print_row(&rated, &how, &row, 0, out);
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < 5; i++) {
		const char *head = strstr(text, heads[i]), *value = strstr(text + first, values[i]);

		assert_non_null(head);
		assert_non_null(value);
		assert_int_equal(head + strlen(heads[i]) - text,
				 value + strlen(values[i]) - text - (long)first);
	}
	assert_non_null(strstr(text, "allocs/s*"));
	assert_null(strstr(text, "live bytes*"));
	assert_int_equal(strstr(text, "call site") - text,
			 strstr(text + first, "f (a.c:1)") - text - (long)first);
}

static void sizes_have_columns_of_their_own(void **state)
{
	const struct top_how how = { .by = TOP_SIZES };
	FILE *out = begin();

	(void)state;
	top_print_columns(&how, 0, out);
	top_print_row(&rated, &how, &row, 0, out);
	assert_int_equal(fclose(out), 0);
	assert_null(strstr(text, "temporary"));
	assert_non_null(strstr(text, " size  type\n"));
	assert_non_null(strstr(text, " 100  f (a.c:1)\n"));
}

static void a_name_makes_no_lines(void **state)
{
	struct top_row forged = row;
	FILE *out = begin();

	(void)state;
	forged.name = (char *)(uintptr_t) "f\n 9\033[2J";
	top_print_row(&rated, &(struct top_how){ 0 }, &forged, 0, out);
	top_print_head(&rated, "a\nb", out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "  f\\012 9\\033[2J\nprocess 12 (a\\012b), "));
}

static void threads_have_columns_of_their_own(void **state)
{
	static const char *const heads[] = { "bytes requested", " requests", "frees", "new bytes",
					     "allocs/s", "frees/s", "thread" };
	static const char *const values[] = { "901", "77", "33", "+20", "2.0", "4.0", "4711" };
	const struct top_row thread = { .name = (char *)(uintptr_t) "crew", .size = 4711,
					.alloc_bytes = 901, .allocs = 77, .free_bytes = 502,
					.frees = 33, .growth = 20, .allocs_per_s = 2,
					.frees_per_s = 4 };
	struct top_row v[] = { thread };
	struct top_rows rows = { v, 1, 1 };
	const struct top_how how = { .by = TOP_THREADS, .sort = TOP_GROWTH };
	FILE *out = begin();

	(void)state;
	top_print_columns(&how, 0, out);
	fflush(out);
	size_t first = len;
	top_print_row(&rated, &how, &thread, 0, out);
	assert_int_equal(fclose(out), 0);
	const char *at = text;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		const char *value = strstr(text + first, values[i]);

		at = strstr(at, heads[i]);
		assert_non_null(at);
		assert_non_null(value);
		at += strlen(heads[i]);
		assert_int_equal(at - text, value + strlen(values[i]) - text - (long)first);
	}
	assert_non_null(strstr(text, "new bytes*"));
	assert_non_null(strstr(text, " 4711  crew\n"));
	json_t *o = top_json(&rated, "a", &how, &rows, 0);
	const json_t *r = json_array_get(json_object_get(o, "rows"), 0);
	assert_int_equal(json_integer_value(json_object_get(r, "thread")), 4711);
	assert_string_equal(json_string_value(json_object_get(r, "name")), "crew");
	assert_int_equal(json_integer_value(json_object_get(r, "allocations")), 77);
	assert_int_equal(json_integer_value(json_object_get(r, "allocated_bytes")), 901);
	assert_int_equal(json_integer_value(json_object_get(r, "frees")), 33);
	assert_int_equal(json_integer_value(json_object_get(r, "freed_bytes")), 502);
	assert_int_equal(json_integer_value(json_object_get(r, "new_bytes")), 20);
	assert_true(json_real_value(json_object_get(r, "frees_per_second")) == 4);
	json_decref(o);
}

static void sums_are_never_negative_in_json(void **state)
{
	const uint64_t half = UINT64_C(1) << 63;
	struct top_row large = { .live_bytes = half, .live_blocks = half - 1 };
	struct top_rows rows = { &large, 1, 1 };
	struct top_head h = rated;

	(void)state;
	h.live_bytes = UINT64_MAX;
	json_t *o = top_json(&h, "a", &(struct top_how){ 0 }, &rows, 0);
	const json_t *r = json_array_get(json_object_get(o, "rows"), 0);
	assert_true(json_number_value(json_object_get(o, "live_bytes")) == 0x1p64);
	assert_true(json_number_value(json_object_get(r, "live_bytes")) == 0x1p63);
	assert_true(json_integer_value(json_object_get(r, "live_blocks")) == INT64_MAX);
	json_decref(o);
}

static void json_has_all_of_it(void **state)
{
	struct top_rows rows = { &row, 1, 1 };
	const struct top_how how = { .sort = TOP_GROWTH };
	struct top_head h = rated;
	json_t *o = top_json(&h, "a\xff", &how, &rows, 0);

	(void)state;
	assert_non_null(o);
	assert_int_equal(json_integer_value(json_object_get(o, "pid")), 12);
	assert_string_equal(json_string_value(json_object_get(o, "command")), "a\xef\xbf\xbd");
	assert_int_equal(json_integer_value(json_object_get(o, "live_bytes")), 1000);
	assert_int_equal(json_integer_value(json_object_get(o, "rss_bytes")), 4096 * 1024);
	assert_true(json_real_value(json_object_get(o, "frees_per_second")) == 0.5);
	assert_string_equal(json_string_value(json_object_get(o, "sort")), "growth");
	const json_t *r = json_array_get(json_object_get(o, "rows"), 0);
	assert_int_equal(json_integer_value(json_object_get(r, "growth_bytes")), -20);
	assert_int_equal(json_integer_value(json_object_get(r, "temporary_blocks")), 555);
	assert_string_equal(json_string_value(json_object_get(r, "site")), row.name);
	json_decref(o);
	/* What is not known is no 0. */
	h.has_rates = false;
	h.rss_kib = 0;
	o = top_json(&h, "a", &(struct top_how){ .by = TOP_SIZES }, &rows, 1);
	assert_non_null(o);
	assert_true(json_is_null(json_object_get(o, "allocations_per_second")));
	assert_true(json_is_null(json_object_get(o, "threads")));
	r = json_array_get(json_object_get(o, "rows"), 0);
	assert_true(json_is_null(json_object_get(r, "growth_bytes")));
	assert_int_equal(json_integer_value(json_object_get(r, "size")), 100);
	json_decref(o);
}

static int release(void **state)
{
	(void)state;
	free(text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_head_tells_what_is_known),
		cmocka_unit_test(a_program_that_is_slow_has_word_of_the_fast_engine),
		cmocka_unit_test(where_there_is_no_room_columns_give_way_to_the_name),
		cmocka_unit_test(a_size_of_which_no_type_is_known_says_so),
		cmocka_unit_test(columns_stand_under_each_other),
		cmocka_unit_test(sizes_have_columns_of_their_own),
		cmocka_unit_test(a_name_makes_no_lines),
		cmocka_unit_test(threads_have_columns_of_their_own),
		cmocka_unit_test(json_has_all_of_it),
		cmocka_unit_test(sums_are_never_negative_in_json),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
