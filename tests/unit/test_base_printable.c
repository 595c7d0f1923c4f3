/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_report_text.h"

#include "base/printable.h"

static void assert_printable(const char *s, const char *want)
{
	char got[256];

	assert_int_equal(printable(got, sizeof got, s), strlen(want));
	assert_string_equal(got, want);
}

static void text_stays_as_it_is(void **state)
{
	(void)state;
	assert_printable("", "");
	assert_printable("operator\\ new<int>(a, ~b)", "operator\\ new<int>(a, ~b)");
	assert_printable("gr\xc3\xb6\xc3\x9f" "er", "gr\xc3\xb6\xc3\x9f" "er");
	assert_printable("\xc2\xa0\xe2\x82\xac\xf0\x9f\x98\x80",
			 "\xc2\xa0\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void control_characters_are_octal(void **state)
{
	(void)state;
	assert_printable("a\033[2Jb\n\t\x01", "a\\033[2Jb\\012\\011\\001");
	assert_printable("\x7f", "\\177");
	assert_printable("\xc2\x9b" "2J", "\\302\\2332J");	/* U+009B: another CSI */
	assert_printable("\xc2\x80", "\\302\\200");
}

static void what_turns_the_direction_of_text_is_octal(void **state)
{
	(void)state;
	assert_printable("a\xe2\x80\xae" "b", "a\\342\\200\\256b");	/* U+202E */
	assert_printable("\xe2\x80\xaa", "\\342\\200\\252");
	assert_printable("\xe2\x81\xa6", "\\342\\201\\246");	/* U+2066 */
	assert_printable("\xe2\x81\xa9", "\\342\\201\\251");
}

/* The first and the last invisible characters, next to visible ones. */
static void what_is_not_seen_is_octal(void **state)
{
	(void)state;
	assert_printable("f\xe2\x80\x8b", "f\\342\\200\\213");	/* U+200B */
	assert_printable("\xe2\x80\x8f", "\\342\\200\\217");
	assert_printable("\xe2\x80\x8a\xe2\x80\x90", "\xe2\x80\x8a\xe2\x80\x90");
	assert_printable("a\xc2\xad" "b", "a\\302\\255b");	/* U+00AD */
	assert_printable("\xc2\xac\xc2\xae", "\xc2\xac\xc2\xae");
	assert_printable("\xe2\x80\xa8\xe2\x80\xa9",
			 "\\342\\200\\250\\342\\200\\251");	/* U+2028, U+2029 */
	assert_printable("\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x80\xa7\xe2\x80\xaf");
	assert_printable("\xe2\x81\xa0", "\\342\\201\\240");	/* U+2060 */
	assert_printable("\xe2\x81\xa4", "\\342\\201\\244");
	assert_printable("\xe2\x81\x9f\xe2\x81\xb0", "\xe2\x81\x9f\xe2\x81\xb0");
	assert_printable("\xe1\x85\x9f", "\\341\\205\\237");	/* U+115F */
	assert_printable("\xe3\x85\xa4", "\\343\\205\\244");	/* U+3164 */
	assert_printable("\xef\xbb\xbf", "\\357\\273\\277");	/* U+FEFF */
	assert_printable("\xef\xbf\xbf", "\\357\\277\\277");	/* U+FFFF */
	assert_printable("\xef\xbf\xbd", "\xef\xbf\xbd");
	assert_printable("\xf3\xa0\x80\x80", "\\363\\240\\200\\200");	/* U+E0000 */
	assert_printable("\xf3\xa0\x81\xbf", "\\363\\240\\201\\277");	/* U+E007F */
	assert_printable("\xf3\x9f\xbf\xbf\xf3\xa1\x80\x80",
			 "\xf3\x9f\xbf\xbf\xf3\xa1\x80\x80");
}

static void invalid_utf8_is_octal(void **state)
{
	(void)state;
	assert_printable("\x9b\xff", "\\233\\377");
	assert_printable("\xc3", "\\303");
	assert_printable("\xe2\x82", "\\342\\202");
	assert_printable("\xe2\x82z", "\\342\\202z");
	assert_printable("\xc0\xaf", "\\300\\257");		/* overlong */
	assert_printable("\xe0\x9f\xbf", "\\340\\237\\277");
	assert_printable("\xf0\x8f\xbf\xbf", "\\360\\217\\277\\277");
	assert_printable("\xed\xa0\x80", "\\355\\240\\200");	/* a surrogate */
	assert_printable("\xf4\x90\x80\x80", "\\364\\220\\200\\200");	/* above U+10FFFF */
	assert_printable("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
}

static void small_buffer_cuts_between_characters(void **state)
{
	(void)state;
	char got[6] = "?????";

	assert_int_equal(printable(got, 6, "ab\033c"), 7);
	assert_string_equal(got, "ab");		/* \033 would need 4 more, and c is behind it */
	assert_int_equal(printable(got, 4, "ab\xc3\xb6"), 4);
	assert_string_equal(got, "ab");
	assert_int_equal(printable(got, 5, "ab\xc3\xb6"), 4);
	assert_string_equal(got, "ab\xc3\xb6");
	assert_int_equal(printable(NULL, 0, "abc"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stays_as_it_is),
		cmocka_unit_test(control_characters_are_octal),
		cmocka_unit_test(what_turns_the_direction_of_text_is_octal),
		cmocka_unit_test(what_is_not_seen_is_octal),
		cmocka_unit_test(invalid_utf8_is_octal),
		cmocka_unit_test(small_buffer_cuts_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
