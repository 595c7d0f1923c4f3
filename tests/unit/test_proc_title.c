/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "cli/results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAKE(title, bytes) title_make(title, bytes, sizeof bytes - 1)

static void test_as_ps_shows_it(void **state)
{
	char t[TITLE_MAX];

	(void)state;
	assert_true(MAKE(t, "./server\0--port\0008080\0"));
	assert_string_equal(t, "./server --port 8080");
	assert_true(MAKE(t, "postgres: walwriter \0\0\0\0\0"));
	assert_string_equal(t, "postgres: walwriter");
	assert_true(MAKE(t, " \0 x"));
	assert_string_equal(t, "x");
	assert_false(MAKE(t, "\0\0 \0"));
	assert_string_equal(t, "");
	assert_false(title_make(t, NULL, 0));
}

static void test_harmless(void **state)
{
	char t[TITLE_MAX];

	(void)state;
	assert_true(MAKE(t, "a\033[2Jb\nc\377"));
	assert_string_equal(t, "a\\033[2Jb\\012c\\377");
}

static void test_bounded(void **state)
{
	char t[TITLE_MAX], long_one[900], exact[TITLE_MAX - 1];

	(void)state;
	memset(exact, 'y', sizeof exact);
	assert_true(title_make(t, exact, sizeof exact));
	assert_int_equal(strlen(t), TITLE_MAX - 1);
	assert_null(strstr(t, "..."));
	memset(long_one, 'x', sizeof long_one);
	assert_true(title_make(t, long_one, sizeof long_one));
	assert_int_equal(strlen(t), TITLE_MAX - 1);
	assert_string_equal(t + TITLE_MAX - 5, "x...");
	/* Cut between two characters, wherever they begin. */
	for (size_t shift = 0; shift < 4; shift++) {
		memset(long_one, 'x', shift);
		for (size_t i = 0; i + shift < sizeof long_one; i++)
			long_one[i + shift] = "\xf0\x9f\x98\x80"[i % 4];
		assert_true(title_make(t, long_one, sizeof long_one));
		assert_in_range(strlen(t), TITLE_MAX - 8, TITLE_MAX - 1);
		assert_string_equal(t + strlen(t) - 3, "...");
		assert_null(strstr(t, "\\"));
	}
	/* What becomes longer by being made harmless is cut, too. */
	memset(long_one, '\033', sizeof long_one);
	assert_true(title_make(t, long_one, 40));
	assert_in_range(strlen(t), 100, TITLE_MAX - 1);
	assert_string_equal(t + strlen(t) - 3, "...");
}

static void test_a_process(void **state)
{
	char t[TITLE_MAX];

	(void)state;
	assert_true(title_of(t, getpid()));
	assert_non_null(strstr(t, "test_proc_title"));
	assert_false(title_of(t, 2147483000));
	assert_string_equal(t, "");
}

static void test_a_thread(void **state)
{
	char title[TITLE_MAX];

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "a b\033\n"), 0);
	assert_true(title_of_thread(title, getpid(), getpid()));
	assert_string_equal(title, "a b\\033\\012");
	assert_false(title_of_thread(title, getpid(), 1));
	assert_string_equal(title, "");
}

static void test_a_line(void **state)
{
	static const char *const no_lines[] = { "", "process", "process 1 2 3 4",
						"process x 1 2 3 4 t",
						"process 1 2 3 4 5", "data 1 2 3 4 5 t" };
	struct section s = { 4711, 2, 12, UINT64_MAX, 7, "postgres: walwriter" }, back;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	section_write(&s, out);
	fclose(out);
	assert_string_equal(text, "process 4711 2 12 18446744073709551615 7 postgres: walwriter\n");
	text[len - 1] = '\0';
	assert_true(section_read(&back, text));
	assert_int_equal(back.pid, 4711);
	assert_int_equal(back.number, 2);
	assert_int_equal(back.allocs, 12);
	assert_true(back.bytes == UINT64_MAX);
	assert_int_equal(back.kept_bytes, 7);
	assert_string_equal(back.title, s.title);
	free(text);
	for (size_t i = 0; i < sizeof no_lines / sizeof *no_lines; i++)
		assert_false(section_read(&back, no_lines[i]));
	assert_true(section_read(&back, "process 1 0 1 1 1 a\033b"));
	assert_string_equal(back.title, "a\\033b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_ps_shows_it), cmocka_unit_test(test_harmless),
		cmocka_unit_test(test_bounded),	       cmocka_unit_test(test_a_process),
		cmocka_unit_test(test_a_line),	       cmocka_unit_test(test_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
