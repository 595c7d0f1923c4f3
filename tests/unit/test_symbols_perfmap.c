/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "symbols/perfmap.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct perfmap map_of(const char *text)
{
	struct perfmap m = { 0 };
	FILE *f = tmpfile();

	assert_non_null(f);
	fputs(text, f);
	rewind(f);
	assert_int_equal(perfmap_read(&m, fileno(f)), 0);
	fclose(f);
	return m;
}

static const char *name_at(const struct perfmap *m, uint64_t at)
{
	const struct perfmap_entry *e = perfmap_find(m, at);

	return e ? e->name : "";
}

static void code_has_the_name_of_its_line(void **state)
{
	(void)state;
	struct perfmap m = map_of("7f0000002000 10 second\n7f0000001000 20 first one (a/b.js:3)\n");

	assert_string_equal(name_at(&m, 0x7f0000001000), "first one (a/b.js:3)");
	assert_string_equal(name_at(&m, 0x7f000000101f), "first one (a/b.js:3)");
	assert_string_equal(name_at(&m, 0x7f0000001020), "");
	assert_string_equal(name_at(&m, 0x7f0000002008), "second");
	assert_string_equal(name_at(&m, 0x7f0000000fff), "");
	assert_string_equal(name_at(&m, UINT64_MAX), "");
	perfmap_release(&m);
}

static void of_several_lines_for_a_place_the_last_holds(void **state)
{
	(void)state;
	struct perfmap m = map_of("1000 1000 old\n1100 10 inner\n1000 80 new\n1100 8 newest");

	assert_string_equal(name_at(&m, 0x1000), "new");
	assert_string_equal(name_at(&m, 0x1080), "old");
	assert_string_equal(name_at(&m, 0x1104), "newest");
	assert_string_equal(name_at(&m, 0x1109), "inner");
	assert_string_equal(name_at(&m, 0x1fff), "old");
	assert_string_equal(name_at(&m, 0x2000), "");
	perfmap_release(&m);
}

static void lines_that_are_none_are_passed_over(void **state)
{
	(void)state;
	struct perfmap m = map_of("\n#\n1000\n1000 10\n1000 10 \nxyz 10 f\n2000 0 empty\n"
				  "ffffffffffffffff 10 wraps\n99999999999999999999 1 f\n"
				  "3000 8 good\n4000 8 cut");

	assert_string_equal(name_at(&m, 0x1000), "");
	assert_string_equal(name_at(&m, 0x2000), "");
	assert_string_equal(name_at(&m, 0x3000), "good");
	assert_string_equal(name_at(&m, 0x4000), "cut");
	perfmap_release(&m);
}

static long peak_kib(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return u.ru_maxrss;
}

static void of_a_map_without_an_end_no_more_is_kept_than_names(void **state)
{
	enum { LARGEST = 64 << 10 };
	struct perfmap m = { 0 };
	long before = peak_kib();
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	fputs("1000 10 first\n", f);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(ftruncate(fileno(f), (off_t)200 << 30), 0);
	assert_int_equal(perfmap_read(&m, fileno(f)), 0);
	fclose(f);
	assert_string_equal(name_at(&m, 0x1008), "first");
	assert_true(m.cut);
	assert_true(peak_kib() - before < LARGEST);
	perfmap_release(&m);
}

static void of_a_line_of_any_length_the_beginning_counts(void **state)
{
	enum { LONG = 1 << 20, CUT = 4096 };
	struct perfmap m = { 0 };
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	fputs("1000 10 ", f);
	for (int i = 0; i < LONG; i++)
		fputc('a', f);
	fputs("\n2000 10 next\n", f);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(perfmap_read(&m, fileno(f)), 0);
	fclose(f);
	assert_int_equal(strlen(name_at(&m, 0x1000)), CUT);
	assert_string_equal(name_at(&m, 0x2000), "next");
	assert_false(m.cut);
	perfmap_release(&m);
}

static void an_empty_map_names_nothing(void **state)
{
	(void)state;
	struct perfmap m = map_of("");

	assert_null(perfmap_find(&m, 0));
	perfmap_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_has_the_name_of_its_line),
		cmocka_unit_test(of_several_lines_for_a_place_the_last_holds),
		cmocka_unit_test(lines_that_are_none_are_passed_over),
		cmocka_unit_test(of_a_map_without_an_end_no_more_is_kept_than_names),
		cmocka_unit_test(of_a_line_of_any_length_the_beginning_counts),
		cmocka_unit_test(an_empty_map_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
