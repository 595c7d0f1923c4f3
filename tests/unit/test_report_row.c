/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_report_text.h"

#include "report/row.h"

#include <errno.h>

struct paper {
	struct row r;
	FILE *f;
	char *text;
	size_t len;
};

static struct paper paper;

static struct row *fresh(void)
{
	paper = (struct paper){ 0 };
	paper.f = open_memstream(&paper.text, &paper.len);
	assert_non_null(paper.f);
	row_init(&paper.r, paper.f);
	return &paper.r;
}

static void assert_written(const char *want)
{
	row_end(&paper.r);
	assert_int_equal(row_release(&paper.r), 0);
	fclose(paper.f);
	assert_string_equal(paper.text, want);
	free(paper.text);
}

static void numbers_are_right_aligned(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_number(r, 1, 5, 7);
	row_number(r, 6, 10, 1234);
	row_left(r, 12, 14, "x");
	row_number(r, 16, 20, 0);
	assert_written("    7 1234 x       0\n");
}

static void number_as_wide_as_its_column_keeps_a_blank(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_number(r, 1, 5, 12345);	/* the beginning of the line needs none */
	row_number(r, 6, 10, 12345);	/* pushed by one */
	row_number(r, 11, 15, 1);
	assert_written("12345 12345    1\n");
	r = fresh();
	row_number(r, 6, 10, 12345);	/* what stands before is blank */
	row_number(r, 11, 15, 1);
	assert_written("     12345    1\n");
	r = fresh();
	row_left(r, 5, 5, "|");
	row_number(r, 6, 10, 12345);	/* a bar is no blank */
	assert_written("    | 12345\n");
}

static void wide_number_pushes_the_rest_of_its_line(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_number(r, 1, 5, 1234567);
	row_number(r, 6, 10, 1);
	row_left(r, 12, 14, "(1)");
	row_right(r, 15, 20, "ab");
	row_left(r, 22, 22, "|");
	assert_written("1234567    1 (1)    ab |\n");
	r = fresh();
	row_number(r, 1, 5, 1);
	row_number(r, 6, 10, UINT64_MAX);
	row_number(r, 11, 15, 2);
	assert_written("    1 18446744073709551615    2\n");
}

static void next_line_is_not_pushed(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_number(r, 1, 2, 12345);
	row_end(r);
	row_number(r, 1, 2, 1);
	row_number(r, 3, 5, 2);
	assert_written("12345\n 1  2\n");
}

static void long_name_pushes_the_rest_of_its_line(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_left_name(r, 1, 4, "abcdefg");
	row_left_name(r, 6, 9, "x");
	row_left_name(r, 11, 14, "y");
	assert_written("abcdefg x    y\n");
}

static void characters_are_counted_not_bytes(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_left_name(r, 1, 4, "\xc3\xb6\xe2\x82\xac");
	row_left_name(r, 6, 12, "\xff");
	row_left_name(r, 14, 15, "z");
	assert_written("\xc3\xb6\xe2\x82\xac   \\377    z\n");
}

static void attached_text_pushes_only_beyond_its_column(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_number(r, 1, 4, 12);
	row_attach(r, 8, "/345");
	row_move(r, 9);		/* full: one blank all the same */
	row_append(r, "name");
	assert_written("  12/345 name\n");
	r = fresh();
	row_number(r, 1, 4, 12);
	row_attach(r, 8, "/34567");
	row_move(r, 13);
	row_append(r, "name");
	assert_written("  12/34567    name\n");
}

static void lines_do_not_end_in_blanks(void **state)
{
	(void)state;
	struct row *r = fresh();

	row_left(r, 1, 10, "a   ");
	row_left(r, 12, 20, "    ");
	row_move(r, 30);
	row_end(r);
	row_lines(r, "whole\n");
	row_left(r, 5, 5, "");
	assert_written("a\nwhole\n\n");
}

static void first_error_stays(void **state)
{
	(void)state;
	FILE *f = fopen("/dev/full", "w");
	struct row r;

	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	row_init(&r, f);
	row_append(&r, "x");
	row_end(&r);
	assert_int_equal(r.err, -ENOSPC);
	row_number(&r, 1, 5, 1);
	row_end(&r);
	row_lines(&r, "y\n");
	assert_int_equal(row_release(&r), -ENOSPC);
	fclose(f);
}

/* ---- on a terminal ---- */

static struct row *of_columns(size_t columns)
{
	struct row *r = fresh();

	r->columns = columns;
	return r;
}

static void a_name_that_is_too_wide_is_cut_in_its_middle(void **state)
{
	(void)state;
	struct row *r = of_columns(40);

	row_left(r, 1, 8, "name");
	row_move(r, 11);
	row_append_name(r, "first_part_of_a_long_name_and_its_end");
	assert_written("name      first_part_of...me_and_its_end\n");
}

static void a_name_that_just_fits_is_whole(void **state)
{
	(void)state;
	struct row *r = of_columns(30);

	assert_false(row_is_too_wide(r, "abcdefghijklmnopqrstuvwxyz1234"));
	assert_true(row_is_too_wide(r, "abcdefghijklmnopqrstuvwxyz12345"));
	row_append_name(r, "abcdefghijklmnopqrstuvwxyz1234");
	assert_written("abcdefghijklmnopqrstuvwxyz1234\n");
}

/* So many characters of two bytes. */
static void fill(char *out, size_t n)
{
	for (*out = '\0'; n; n--)
		out = stpcpy(out, "\u00e4");
}

static void names_are_cut_between_characters(void **state)
{
	(void)state;
	struct row *r = of_columns(24);

	char name[2 * 26 + 1], want[2 * 21 + 8];

	fill(name, 26);
	row_append_name(r, name);
	assert_int_equal(r->width, 24);
	fill(want, 10);
	strcat(want, "...");
	fill(want + strlen(want), 11);
	strcat(want, "\n");
	assert_written(want);
}

static void however_narrow_it_is_some_of_a_name_is_seen(void **state)
{
	(void)state;
	struct row *r = of_columns(10);

	row_append_name(r, "a_name_of_exactly_thirty_bytes");
	assert_written("a_name_of_...hirty_bytes\n");
}

static void names_of_a_line_share_it(void **state)
{
	(void)state;
	static const char *const names[] = {
		"main",
		"one_with_twenty_six_letter",
		"one_that_is_far_too_wide_for_the_line_to_hold",
	};
	struct row *r = of_columns(76);

	row_share(r, names, 3, 6);
	for (size_t i = 0; i < 3; i++) {
		row_append_name(r, names[i]);
		row_append(r, i < 2 ? " > " : "");
	}
	assert_int_equal(r->width, 76);
	assert_written("main > one_with_twenty_six_letter > "
		       "one_that_is_far_to...or_the_line_to_hold\n");
}

/* What is between the names may leave less than a column for each. */
static void names_without_room_are_cut_as_far_as_any(void **state)
{
	(void)state;
	static const char *const names[] = {
		"a_name_that_has_forty_columns_like_lines",
		"its_sibling_of_forty_columns_like_lines_",
	};
	struct row *r = of_columns(80);

	row_share(r, names, 2, 79);
	for (size_t i = 0; i < 2; i++)
		row_append_name(r, names[i]);
	assert_int_equal(r->width, (size_t)2 * ROW_NAME_LEAST);
	assert_written("a_name_tha..._like_linesits_siblin...like_lines_\n");
}

/* Its width is that of what is printed: four columns for each control character. */
static void a_name_that_is_made_harmless_is_wider(void **state)
{
	(void)state;
	struct row *r = of_columns(40);

	assert_int_equal(row_name_columns("a\001b\002"), 10);
	assert_int_equal(row_name_columns("gr\303\266\303\237e"), 5);
	assert_true(row_is_too_wide(r, "\001\002\003\004\005\006\007\001\002\003\004"));
	assert_written("\n");
}

static void what_stands_behind_a_name_has_room(void **state)
{
	(void)state;
	struct row *r = of_columns(40);

	row_spare(r, 5);
	row_append_name(r, "a_name_that_is_wider_than_thirty_five_columns");
	row_append(r, " [12]");
	assert_int_equal(r->width, 40);
	assert_written("a_name_that_is_w...rty_five_columns [12]\n");
}

static void the_next_line_has_all_the_room_again(void **state)
{
	(void)state;
	struct row *r = of_columns(40);

	row_spare(r, 10);
	row_append_name(r, "short");
	row_end(r);
	row_append_name(r, "a_name_that_has_forty_columns_like_lines");
	assert_written("short\na_name_that_has_forty_columns_like_lines\n");
}

static void without_a_terminal_nothing_is_cut(void **state)
{
	(void)state;
	static const char *const name = "a_name_that_is_wider_than_thirty_five_columns";
	struct row *r = fresh();

	row_share(r, &name, 1, 70);
	row_spare(r, 70);
	assert_false(row_is_too_wide(r, name));
	row_append_name(r, name);
	assert_written("a_name_that_is_wider_than_thirty_five_columns\n");
}

static void colours_take_no_columns(void **state)
{
	(void)state;
	struct row *r = fresh();

	r->colour = true;
	row_coloured(r, ROW_RED, "LOST");
	row_left(r, 6, 10, "x");
	assert_written("\033[1;31mLOST\033[m x\n");
	r = fresh();
	row_coloured(r, ROW_RED, "LOST");
	row_title(r, "");
	assert_written("LOST\n\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_right_aligned),
		cmocka_unit_test(number_as_wide_as_its_column_keeps_a_blank),
		cmocka_unit_test(wide_number_pushes_the_rest_of_its_line),
		cmocka_unit_test(next_line_is_not_pushed),
		cmocka_unit_test(long_name_pushes_the_rest_of_its_line),
		cmocka_unit_test(characters_are_counted_not_bytes),
		cmocka_unit_test(attached_text_pushes_only_beyond_its_column),
		cmocka_unit_test(lines_do_not_end_in_blanks),
		cmocka_unit_test(first_error_stays),
		cmocka_unit_test(a_name_that_is_too_wide_is_cut_in_its_middle),
		cmocka_unit_test(a_name_that_just_fits_is_whole),
		cmocka_unit_test(names_are_cut_between_characters),
		cmocka_unit_test(however_narrow_it_is_some_of_a_name_is_seen),
		cmocka_unit_test(names_of_a_line_share_it),
		cmocka_unit_test(names_without_room_are_cut_as_far_as_any),
		cmocka_unit_test(a_name_that_is_made_harmless_is_wider),
		cmocka_unit_test(what_stands_behind_a_name_has_room),
		cmocka_unit_test(the_next_line_has_all_the_room_again),
		cmocka_unit_test(without_a_terminal_nothing_is_cut),
		cmocka_unit_test(colours_take_no_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
