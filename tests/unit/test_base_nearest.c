/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "base/nearest.h"

#include <limits.h>
#include <string.h>

static unsigned distance(const char *a, const char *b)
{
	unsigned there = edit_distance(a, strlen(a), b, strlen(b));

	assert_int_equal(there, edit_distance(b, strlen(b), a, strlen(a)));
	return there;
}

static void the_distance_is_the_number_of_slips(void **state)
{
	(void)state;
	assert_int_equal(distance("", ""), 0);
	assert_int_equal(distance("lines", "lines"), 0);
	assert_int_equal(distance("", "lines"), 5);
	assert_int_equal(distance("lins", "lines"), 1);		/* left out */
	assert_int_equal(distance("linnes", "lines"), 1);	/* added */
	assert_int_equal(distance("linas", "lines"), 1);	/* another one */
	assert_int_equal(distance("liens", "lines"), 1);	/* swapped */
	assert_int_equal(distance("attch", "detach"), 3);
	assert_int_equal(distance("kitten", "sitting"), 3);
	assert_int_equal(distance("ca", "abc"), 3);		/* no letter is touched twice */
	assert_int_equal(distance("abcd", "badc"), 2);
}

static void of_a_word_only_its_length_counts(void **state)
{
	(void)state;
	assert_int_equal(edit_distance("format=json", 6, "format", 6), 0);
	assert_int_equal(edit_distance("format=json", 6, "formats", 7), 1);
}

static void what_is_longer_than_any_word_is_far_from_all(void **state)
{
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof text);
	assert_int_equal(edit_distance(text, 64, text, 64), 0);
	assert_int_equal(edit_distance(text, 65, text, 64), UINT_MAX);
	assert_int_equal(edit_distance(text, 10, text, sizeof text), UINT_MAX);
}

/* Which of these words is suggested for @word; "": none. */
static const char *suggested(const char *word)
{
	static const char *const words[] = { "verbose", "normal", "terse", "offsets", "offset",
					     "lines",
					     "heap-profile", "heap-profile-signal", "o", "x",
					     "data" };
	struct nearest n = { .word = word, .len = strlen(word) };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		nearest_try(&n, words[i]);
	return n.best ? n.best : "";
}

static void a_slip_is_recognised(void **state)
{
	(void)state;
	assert_string_equal(suggested("lins"), "lines");
	assert_string_equal(suggested("ters"), "terse");
	assert_string_equal(suggested("ofset"), "offset");
	assert_string_equal(suggested("dtaa"), "data");
	assert_string_equal(suggested("heap-profil-signal"), "heap-profile-signal");
}

static void the_beginning_of_a_word_is_enough_and_the_first_of_several_stays(void **state)
{
	(void)state;
	assert_string_equal(suggested("ver"), "verbose");
	assert_string_equal(suggested("heap"), "heap-profile");
	assert_string_equal(suggested("ve"), "");
}

static void another_word_is_no_slip(void **state)
{
	(void)state;
	assert_string_equal(suggested("nonsense"), "");
	assert_string_equal(suggested("y"), ""); /* all of it is wrong */
	assert_string_equal(suggested(""), "");
	assert_string_equal(suggested("teapot"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_distance_is_the_number_of_slips),
		cmocka_unit_test(of_a_word_only_its_length_counts),
		cmocka_unit_test(what_is_longer_than_any_word_is_far_from_all),
		cmocka_unit_test(a_slip_is_recognised),
		cmocka_unit_test(the_beginning_of_a_word_is_enough_and_the_first_of_several_stays),
		cmocka_unit_test(another_word_is_no_slip),
	};

	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
