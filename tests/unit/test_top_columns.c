/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "top/columns.h"

#include <locale.h>
#include <stdlib.h>

static void assert_cut(const char *text, int columns, const char *expected)
{
	char *cut = top_cut(text, columns);

	assert_string_equal(cut, expected);
	assert_true(top_width(cut) <= columns);
	free(cut);
}

static void what_fits_stays(void **state)
{
	(void)state;
	assert_cut("", 0, "");
	assert_cut("", 5, "");
	assert_cut("abcde", 5, "abcde");
	assert_cut("größe", 5, "größe");
	assert_cut("漢字", 4, "漢字");
}

static void what_does_not_is_cut_between_characters(void **state)
{
	(void)state;
	assert_cut("abcdef", 5, "abcd>");
	assert_cut("größer", 5, "größ>");
	/* A wide one has no half. */
	assert_cut("漢字漢", 5, "漢字>");
	assert_cut("漢字漢", 4, "漢>");
	assert_cut("a漢", 2, "a>");
	assert_cut("abc", 1, ">");
	assert_cut("abc", 0, "");
	/* A combining one takes none, and stays with its letter. */
	assert_cut("e\xcc\x81" "bc", 2, "e\xcc\x81>");
	assert_int_equal(top_width("e\xcc\x81"), 1);
}

static void assert_shortened(const char *text, int columns, const char *expected)
{
	char *shorter = top_shorten(text, columns);

	assert_string_equal(shorter, expected);
	assert_true(top_width(shorter) <= columns);
	free(shorter);
}

static void a_name_loses_its_middle(void **state)
{
	(void)state;
	assert_shortened("abcdefghi", 9, "abcdefghi");
	assert_shortened("abcdefghijkl", 9, "abc...jkl");
	assert_shortened("abcdefghijkl", 10, "abc...ijkl");
	assert_shortened("größßßßßßgröße", 11, "größ...röße");
	/* A wide one has no half, at neither end. */
	assert_shortened("漢字漢字漢字", 10, "漢...漢字");
	assert_shortened("a\nbcdefghijkl", 11, "a\\01...ijkl");
	assert_shortened("abcdefghijkl", 8, "abcdefg>");
	assert_shortened("abc", 0, "");
}

static void assert_wrapped(const char *text, int columns, const char *expected)
{
	char *lines = top_wrap(text, columns);

	assert_string_equal(lines, expected);
	free(lines);
}

static void a_sentence_has_lines_that_fit(void **state)
{
	(void)state;
	assert_wrapped("", 5, "");
	assert_wrapped("the profile is in /tmp/x", 80, "the profile is in /tmp/x");
	assert_wrapped("the profile is in /tmp/x", 11, "the profile\nis in\n/tmp/x");
	assert_wrapped("in /a/very/long/path", 8, "in\n/a/very/\nlong/pat\nh");
	assert_wrapped("it is 12 % of it", 8, "it is\n12 % of\nit");
	assert_wrapped("größe größe", 5, "größe\ngröße");
	assert_wrapped("漢字", 1, "漢\n字");
	assert_wrapped("a\nb", 80, "a\\012b");
}

static void nothing_steers_the_terminal(void **state)
{
	(void)state;
	assert_cut("a\033[2Jb", 20, "a\\033[2Jb");
	assert_cut("a\nb\tc", 20, "a\\012b\\011c");
	assert_cut("\xff", 20, "\\377");
	assert_cut("x\xc2\x9b" "1m", 20, "x\\302\\2331m");
	/* Cut within what a character became. */
	assert_cut("a\033", 4, "a\\0>");
	/* Nobody has assigned this one: it has no width. */
	assert_cut("a\xcd\xb8" "b", 20, "a?b");
}

static void another_locale_shows_what_it_can(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	assert_cut("gr\xc3\xb6", 20, "gr??");
	assert_cut("abc", 2, "a>");
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(what_does_not_is_cut_between_characters),
		cmocka_unit_test(a_name_loses_its_middle),
		cmocka_unit_test(a_sentence_has_lines_that_fit),
		cmocka_unit_test(nothing_steers_the_terminal),
		cmocka_unit_test(another_locale_shows_what_it_can),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
