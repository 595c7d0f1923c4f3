/* SPDX-License-Identifier: BSD-2-Clause */
/* The line on resident memory, for rows made by hand. */
#include "unit/unit.h"
#include "report/rss.h"

#include <stdlib.h>
#include <string.h>

static char *line_of(const struct profile_data *d, bool *is)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	*is = report_rss_line(d, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_line(const struct profile_data *d, const char *want)
{
	bool is;
	char *line = line_of(d, &is);

	assert_string_equal(line, want);
	assert_int_equal(is, *want != '\0');
	free(line);
}

static struct pd_rss_row row(enum rss_kind kind, uint64_t rss)
{
	return (struct pd_rss_row){(char *)(uintptr_t)report_rss_name(HEAP_JEMALLOC, kind), rss, 0};
}

static void names_are_told_apart(void **state)
{
	(void)state;
	for (int k = 0; k < N_RSS_KINDS; k++)
		assert_int_equal(report_rss_kind(report_rss_name(HEAP_GLIBC, k)), k);
	for (int k = 0; k < N_RSS_KINDS; k++)
		assert_int_equal(report_rss_kind(report_rss_name(HEAP_JEMALLOC, k)), k);
	assert_int_equal(report_rss_kind("heap"), N_RSS_KINDS);
}

static void the_parts_add_up(void **state)
{
	struct pd_rss_row rows[] = {
		row(RSS_LIVE, 1000), row(RSS_HEADERS, 100),
		row(RSS_FREE, 200),  row(RSS_TOP, 30),
		row(RSS_OWN, 7),     row(RSS_NOT_EXPLAINED, 3),
		row(RSS_STACK, 50),  row(RSS_CODE, 400),
		row(RSS_KERNEL, 6),  {(char *)(uintptr_t) "of a later version", 4, 0},
	};
	struct profile_data d = {.rss = rows, .n_rss = sizeof rows / sizeof *rows};

	(void)state;
	assert_line(&d, "resident: 1800 bytes = live blocks 1000 + free in the allocator 230 + "
			"headers and the allocator's own 107 + not explained by the heap 463\n");
	d.before =
		(struct pd_before){.how = 2, .bytes = 900, .freed_bytes = 200, .missed_bytes = 100};
	assert_line(&d, "resident: 1800 bytes = live blocks 1000 (from before the attach: 600 "
			"usable) + free in the allocator 230 + headers and the allocator's own 107 "
			"+ not explained by the heap 463\n");
	d.before.how = 1;
	assert_line(&d, "resident: 1800 bytes = live blocks 1000 + free in the allocator 230 + "
			"headers and the allocator's own 107 + not explained by the heap 463\n");
}

static void a_heap_of_an_allocator_that_is_not_known_is_not_divided(void **state)
{
	struct pd_rss_row rows[] = {row(RSS_HEAP_WHOLE, 300), row(RSS_CODE, 400)};
	struct profile_data d = {.rss = rows, .n_rss = 2};

	(void)state;
	assert_line(&d, "resident: 700 bytes = a heap whose allocator is not known 300 + not "
			"explained by the heap 400\n");
	d.rss++;
	d.n_rss--;
	assert_line(&d, "resident: 400 bytes = no heap of glibc's + not explained by the heap "
			"400\n");
}

static void without_rows_there_is_no_line(void **state)
{
	struct profile_data d = {0};

	(void)state;
	assert_line(&d, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_told_apart),
		cmocka_unit_test(the_parts_add_up),
		cmocka_unit_test(a_heap_of_an_allocator_that_is_not_known_is_not_divided),
		cmocka_unit_test(without_rows_there_is_no_line),
	};

	return cmocka_run_group_tests_name("rss line", tests, NULL, NULL);
}
