/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "cli/completion.h"

#include <string.h>

static void assert_words(const char *accepted, size_t n, const char *want)
{
	char words[COMPLETION_WORDS];

	assert_int_equal(completion_words(accepted, words), n);
	assert_string_equal(words, want);
}

static void words_are_those_that_are_listed(void **state)
{
	(void)state;
	assert_words("yes or no", 2, "yes no");
	assert_words("auto, always or never", 3, "auto always never");
	assert_words("i, ms or B", 3, "i ms B");
	assert_words("follow, adaptive, sleep, spin or pin", 5, "follow adaptive sleep spin pin");
	assert_words("tables, ms_print or no-pager", 3, "tables ms_print no-pager");
}

static void what_is_described_has_no_words(void **state)
{
	(void)state;
	assert_words("a file name", 0, "");
	assert_words("a number of seconds above 0", 0, "");
	assert_words("a number of functions from 1 to 10000, or all", 0, "");
	assert_words("a file's name, 64 of them at most, or auto", 0, "");
	assert_words("number", 0, "");
	assert_words("", 0, "");
	assert_words("a > b or c", 0, "");
	assert_words("x, , y", 0, "");
}

static void more_than_there_is_room_for_is_none(void **state)
{
	(void)state;
	char accepted[4 * COMPLETION_WORDS];

	memset(accepted, 'x', sizeof accepted);
	memcpy(accepted + COMPLETION_WORDS - 10, " or ", 4);
	accepted[sizeof accepted - 1] = '\0';
	assert_words(accepted, 0, "");
	accepted[COMPLETION_WORDS - 4] = '\0';
	accepted[COMPLETION_WORDS - 6 + 1] = 'y';
	char words[COMPLETION_WORDS];
	assert_int_equal(completion_words(accepted, words), 2);
	assert_true(strlen(words) < sizeof words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_that_are_listed),
		cmocka_unit_test(what_is_described_has_no_words),
		cmocka_unit_test(more_than_there_is_room_for_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
