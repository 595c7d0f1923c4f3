/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "unit/no_memory.h"
#include "session/filename.h"

#include <stdlib.h>
#include <string.h>

/* A copy that ends where its memory ends: sanitizers see overruns. */
static char *exactly(const char *s)
{
	char *copy = strdup(s);

	assert_non_null(copy);
	return copy;
}

static void assert_expands(const char *pattern, const char *want)
{
	struct error e = { "" };
	char *copy = exactly(pattern), *name = filename_expand(copy, 4711, &e);

	assert_non_null(name);
	assert_string_equal(name, want);
	assert_string_equal(e.text, "");
	free(name);
	free(copy);
}

static void assert_refused(const char *pattern, const char *why)
{
	struct error e = { "" };
	char *copy = exactly(pattern);

	assert_null(filename_expand(copy, 4711, &e));
	assert_string_equal(e.text, why);
	free(copy);
}

static int environment_setup(void **state)
{
	(void)state;
	return setenv("MPROF_TEST_A", "va lue", 1) || setenv("MPROF_TEST_EMPTY", "", 1) ||
	       setenv("MPROF_TEST_PERCENT", "50%p%q{X}", 1) || unsetenv("MPROF_TEST_UNSET");
}

static void a_name_without_per_cent_signs_stays_as_it_is(void **state)
{
	(void)state;
	assert_expands("mprof.data", "mprof.data");
	assert_expands("", "");
	assert_expands("/tmp/{p}/q{HOME} \xc3\xa4", "/tmp/{p}/q{HOME} \xc3\xa4");
}

static void p_is_the_process(void **state)
{
	(void)state;
	assert_expands("%p", "4711");
	assert_expands("mprof.%p.data", "mprof.4711.data");
	assert_expands("%p%p", "47114711");
}

static void two_per_cent_signs_are_one(void **state)
{
	(void)state;
	assert_expands("100%%", "100%");
	assert_expands("%%p", "%p");
	assert_expands("%%%p", "%4711");
	assert_expands("%%q{MPROF_TEST_A}", "%q{MPROF_TEST_A}");
}

static void q_is_an_environment_variable(void **state)
{
	(void)state;
	assert_expands("%q{MPROF_TEST_A}", "va lue");
	assert_expands("x%q{MPROF_TEST_A}y%p", "xva luey4711");
	assert_expands("a%q{MPROF_TEST_EMPTY}b", "ab");
	/* What comes out of it is not looked at again. */
	assert_expands("%q{MPROF_TEST_PERCENT}", "50%p%q{X}");
}

static void a_variable_that_is_not_set_is_named(void **state)
{
	(void)state;
	assert_refused("%q{MPROF_TEST_UNSET}",
		       "file name: the environment variable MPROF_TEST_UNSET is not set");
}

static void q_without_braces_is_refused(void **state)
{
	static const char why[] = "file name: %q needs a variable's name in braces, as %q{HOME}";

	(void)state;
	assert_refused("%q", why);
	assert_refused("%qHOME", why);
	assert_refused("%q{", why);
	assert_refused("%q{HOME", why);
}

static void a_variable_with_a_very_long_name_is_refused(void **state)
{
	char pattern[2048] = "%q{";
	struct error e = { "" };

	(void)state;
	memset(pattern + 3, 'A', 2000);
	strcpy(pattern + 2003, "}");
	assert_null(filename_expand(pattern, 1, &e));
	assert_string_not_equal(e.text, "");
}

static void any_other_sequence_is_refused(void **state)
{
	(void)state;
	assert_refused("a%d", "file name: %d is not known; %p, %q{VAR} and %% are");
	assert_refused("%P", "file name: %P is not known; %p, %q{VAR} and %% are");
	assert_refused("%", "file name: %  is not known; %p, %q{VAR} and %% are");
	assert_refused("%p%", "file name: %  is not known; %p, %q{VAR} and %% are");
	/* Not raw to the terminal. */
	assert_refused("%\x1b[2J", "file name: %\\033 is not known; %p, %q{VAR} and %% are");
}

static void nobody_has_to_want_the_sentence(void **state)
{
	(void)state;
	assert_null(filename_expand("%x", 1, NULL));
	assert_null(filename_expand("%q{MPROF_TEST_UNSET}", 1, NULL));
}

static bool has_pid(const char *pattern)
{
	char *copy = exactly(pattern);
	bool has = filename_has_pid(copy);

	free(copy);
	return has;
}

static void whether_a_name_tells_processes_apart_is_told(void **state)
{
	(void)state;
	assert_true(has_pid("%p"));
	assert_true(has_pid("a.%p.b"));
	assert_true(has_pid("%%%p"));
	assert_true(has_pid("%q{HOME}%p"));
	assert_false(has_pid(""));
	assert_false(has_pid("p"));
	assert_false(has_pid("%%p"));
	assert_false(has_pid("%q{HOME}p"));
}

/* It is no valid name, but the caller may not have expanded it yet. */
static void a_name_that_ends_in_a_per_cent_sign_is_not_read_beyond(void **state)
{
	/* What comes behind the end must not be taken for a part of it. */
	static const char tricky[] = "mprof.data%\0%p";

	(void)state;
	assert_false(filename_has_pid(tricky));
	assert_false(has_pid("%"));
}

static void the_number_of_a_file_is_known_where_there_is_one(void **state)
{
	struct error e;
	char *name = filename_expand_nth("a%n.%p%%n", 7, 3, &e);

	(void)state;
	assert_string_equal(name, "a3.7%n");
	free(name);
	assert_null(filename_expand_nth("%z", 7, 3, &e));
	assert_string_equal(e.text, "file name: %z is not known; %p, %q{VAR}, %n and %% are");
	assert_null(filename_expand("a%n", 7, &e));
	assert_true(filename_has("a%n", 'n') && !filename_has("a%%n%p", 'n'));
}

static void files_of_further_processes_and_programs_have_names_of_their_own(void **state)
{
	static const struct {
		const char *pattern;
		struct filename_whose whose;
		const char *name;
	} v[] = {
		{ "mprof.data", { 7, false, '.', 0, 0 }, "mprof.data" },
		{ "mprof.data", { 7, true, '.', 0, 0 }, "mprof.data.7" },
		{ "mprof.data", { 7, true, '.', 2, 0 }, "mprof.data.7.2" },
		{ "mprof.data", { 7, false, '.', 2, 0 }, "mprof.data.2" },
		{ "d.%p", { 7, true, '.', 0, 0 }, "d.7" },
		{ "d.%p", { 7, true, '.', 3, 0 }, "d.7.3" },
		{ "m.%n", { 7, true, '.', 3, 3 }, "m.3.7" },
		{ "m.%p.%n", { 7, true, '.', 3, 3 }, "m.7.3" },
		{ "m", { 7, false, '.', 0, 3 }, "m" },
		{ "heap", { 7, true, '_', 0, 0 }, "heap_7" },
		{ "/dev/null", { 7, true, '.', 2, 0 }, "/dev/null" },
	};
	struct error e;

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		char *name = filename_of(v[i].pattern, &v[i].whose, &e);

		assert_string_equal(name, v[i].name);
		free(name);
	}
	assert_null(filename_of("m.%n", &(struct filename_whose){ .pid = 7 }, &e));
	char *name = filename_derived("100%p", &(struct filename_whose){ 7, true, '.', 2, 0 }, &e);
	assert_string_equal(name, "100%p.7.2");
	free(name);
}

static void without_memory_for_a_name_that_is_said(void **state)
{
	const struct filename_whose w = { 7, true, '.', 2, 1 };
	bool failed;
	long n = 0;

	(void)state;
	do {
		struct error e = { "" };

		no_memory_after(n++);
		char *name = filename_of("some/where/m.%p.%q{MPROF_TEST_A}", &w, &e);
		failed = no_memory_end();
		assert_true(failed || name);
		assert_string_equal(name ? name : e.text, name ? "some/where/m.7.va lue.2" :
								 "file name: out of memory");
		free(name);
	} while (failed);
	assert_in_range(n, 3, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_without_per_cent_signs_stays_as_it_is),
		cmocka_unit_test(p_is_the_process),
		cmocka_unit_test(two_per_cent_signs_are_one),
		cmocka_unit_test(q_is_an_environment_variable),
		cmocka_unit_test(a_variable_that_is_not_set_is_named),
		cmocka_unit_test(q_without_braces_is_refused),
		cmocka_unit_test(a_variable_with_a_very_long_name_is_refused),
		cmocka_unit_test(any_other_sequence_is_refused),
		cmocka_unit_test(nobody_has_to_want_the_sentence),
		cmocka_unit_test(whether_a_name_tells_processes_apart_is_told),
		cmocka_unit_test(a_name_that_ends_in_a_per_cent_sign_is_not_read_beyond),
		cmocka_unit_test(the_number_of_a_file_is_known_where_there_is_one),
		cmocka_unit_test(files_of_further_processes_and_programs_have_names_of_their_own),
		cmocka_unit_test(without_memory_for_a_name_that_is_said),
	};

	return cmocka_run_group_tests_name("filename", tests, environment_setup, NULL);
}
