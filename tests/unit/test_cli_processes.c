/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "cli/processes.h"

#include <stdio.h>
#include <string.h>

/* The result for a word: pids, "name" or "wrong". */
static const char *said(const char *word)
{
	static char text[256];
	struct pids p = { 0 };
	enum word_kind kind = processes_word(word, &p);

	snprintf(text, sizeof text, "%s",
		 kind == WORD_NAME    ? "name"
		 : kind == WORD_WRONG ? "wrong"
				      : "");
	for (size_t i = 0; kind == WORD_NUMBERS && i < p.n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? " " : "",
			 (int)p.v[i]);
	pids_release(&p);
	return text;
}

static void a_word_is_one_number_or_several_or_a_name(void **state)
{
	(void)state;
	assert_string_equal(said("12"), "12");
	assert_string_equal(said("2147483647"), "2147483647");
	assert_string_equal(said("12,13,14"), "12 13 14");
	assert_string_equal(said(" 12 13\n"), "12 13"); /* as pidof(1) and pgrep(1) print them */
	assert_string_equal(said("12,12,13,12"), "12 13");
	assert_string_equal(said("redis-server"), "name");
	assert_string_equal(said("7z"), "name");
	assert_string_equal(said("postgres: walwriter"), "name");
	assert_string_equal(said("a,b"), "name");
}

static void what_is_no_number_of_a_process_is_wrong(void **state)
{
	(void)state;
	assert_string_equal(said(""), "wrong");
	assert_string_equal(said(" ,"), "wrong");
	assert_string_equal(said("0"), "wrong");
	assert_string_equal(said("12,0"), "wrong");
	assert_string_equal(said("2147483648"), "wrong");
	assert_string_equal(said("99999999999999999999"), "wrong");
	assert_string_equal(said("-5"), "wrong");
	assert_string_equal(said("-x"), "wrong");
}

static bool is_called(const char *comm, const char *exe, const char *title, const char *name)
{
	const struct process_names names = { comm, exe, title };

	return process_is_called(&names, name);
}

static void a_process_is_called_as_its_file_its_first_argument_or_its_thread_is(void **state)
{
	(void)state;
	assert_true(is_called("redis-server", "/usr/bin/redis-check-rdb",
			      "/usr/bin/redis-server *:6379", "redis-server"));
	assert_true(is_called("python3", "/usr/bin/python3.11", "/usr/bin/python3", "python3"));
	assert_true(is_called("python3", "/usr/bin/python3.11", "/usr/bin/python3", "python3.11"));
	assert_true(
		is_called("x", "/usr/lib/postgres", "postgres: walwriter", "postgres: walwriter"));
	assert_true(is_called("x", "/usr/lib/postgres", "postgres: walwriter", "postgres"));
	assert_true(is_called("a-name-that-is-", "", "", "a-name-that-is-"));
	/* of another user: the file is not told */
	assert_true(is_called("bash", "", "-bash", "bash"));
}

static void half_a_name_is_none(void **state)
{
	(void)state;
	assert_false(is_called("redis-server", "/usr/bin/redis-server", "redis-server", "redis"));
	assert_false(is_called("redis", "/usr/bin/redis", "redis", "redis-server"));
	assert_false(is_called("sh", "/usr/bin/dash", "sh", "bin"));
	assert_false(is_called("", "", "", "x"));
	/* The kernel has cut one name of 15 bytes; it may be another's beginning. */
	assert_false(is_called("a-name-that-is-", "", "", "a-name-that-is-long"));
}

static void a_number_is_in_a_list_once(void **state)
{
	struct pids p = { 0 };

	(void)state;
	assert_false(pids_have(&p, 7));
	for (pid_t pid = 1; pid <= 100; pid++)
		assert_int_equal(pids_add(&p, pid), 0);
	for (pid_t pid = 100; pid >= 1; pid--)
		assert_int_equal(pids_add(&p, pid), 0);
	assert_int_equal(p.n, 100);
	assert_true(pids_have(&p, 7) && pids_have(&p, 100) && !pids_have(&p, 101));
	pids_release(&p);
	assert_int_equal(p.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_one_number_or_several_or_a_name),
		cmocka_unit_test(what_is_no_number_of_a_process_is_wrong),
		cmocka_unit_test(
			a_process_is_called_as_its_file_its_first_argument_or_its_thread_is),
		cmocka_unit_test(half_a_name_is_none),
		cmocka_unit_test(a_number_is_in_a_list_once),
	};

	return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
