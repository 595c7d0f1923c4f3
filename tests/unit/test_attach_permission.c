/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a process may not be traced, from plain facts; and the kernel's answer for this process. */
#include "unit/unit.h"

#include "attach/permission.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void says(const struct permission_facts *f, const char *why, const char *remedy)
{
	struct advice a;

	permission_why(f, &a);
	if (!strstr(a.why.text, why) || !strstr(a.remedy.text, remedy))
		fail_msg("\"%s\"; \"%s\" do not say \"%s\"; \"%s\"", a.why.text, a.remedy.text, why,
			 remedy);
}

static void another_users_process_names_both(void **state)
{
	const struct permission_facts f = {.us = 1000, .target = 33};

	(void)state;
	says(&f, "it belongs to user 33, we are user 1000", "run mprof as that user or as root");
}

static void who_may_trace_and_not_write_is_told_what_it_takes(void **state)
{
	struct permission_facts f = {.us = 1000, .target = 33, .can_trace = true};

	(void)state;
	says(&f, "without CAP_DAC_OVERRIDE", "run mprof as that user or as root");
	f.target = 1000;
	says(&f, "not permitted: it may have more", "as root");
}

static void an_undumpable_process_is_told_before_yama(void **state)
{
	const struct permission_facts f = {
		.us = 1000, .target = 1000, .undumpable = true, .yama = YAMA_DESCENDANTS};

	(void)state;
	says(&f, "undumpable", "as root");
}

static void yama_has_a_remedy_for_each_of_its_settings(void **state)
{
	struct permission_facts f = {.us = 1000, .target = 1000, .yama = YAMA_DESCENDANTS};

	(void)state;
	says(&f, "ptrace_scope is 1", "start the program with mprof run, or set it to 0");
	f.yama = YAMA_PRIVILEGED;
	says(&f, "ptrace_scope is 2", "run mprof as root, or set it to 0 or 1");
	f.yama = YAMA_NOBODY;
	says(&f, "ptrace_scope is 3: nobody", "cannot be changed back");
	f.can_trace = true;
	says(&f, "ptrace_scope is 3: nobody", "cannot be changed back");
}

static void what_root_lacks_is_told(void **state)
{
	struct permission_facts f = {.us = 0, .target = 1000};

	(void)state;
	says(&f, "although we are root", "--cap-add=SYS_PTRACE");
	f.can_trace = true;
	f.other_user_ns = true;
	says(&f, "user namespace", "outside of any container");
	f.other_user_ns = false;
	strcpy(f.confined, "docker-default (enforce)");
	says(&f, "confines it (docker-default (enforce))", "allow ptrace in that profile");
}

static void a_profile_is_blamed_for_nothing_else(void **state)
{
	struct permission_facts f = {.us = 1000, .target = 33, .confined = "web (enforce)"};

	(void)state;
	says(&f, "it belongs to user 33", "");
	f.target = 1000;
	says(&f, "confines it (web (enforce))", "");
	*f.confined = '\0';
	says(&f, "may have more privileges", "as root");
}

static void only_the_strictest_settings_forbid_everything(void **state)
{
	struct advice a;

	(void)state;
	assert_false(permission_forbids_all(YAMA_ALL, false, &a));
	assert_false(permission_forbids_all(YAMA_DESCENDANTS, false, &a));
	assert_true(permission_forbids_all(YAMA_PRIVILEGED, false, &a));
	assert_false(permission_forbids_all(YAMA_PRIVILEGED, true, &a));
	assert_true(permission_forbids_all(YAMA_NOBODY, true, &a));
}

/* A folder that has a /proc of ours, with this setting; or none if it is NULL. */
static int yama_of(const char *text)
{
	static const char *const dirs[] = {"/proc", "/proc/sys", "/proc/sys/kernel",
					   "/proc/sys/kernel/yama"};
	char root[] = "/tmp/mprof-unit-XXXXXX", path[128];

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof path, "%s%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof path, "%s/proc/sys/kernel/yama/ptrace_scope", root);
	FILE *f = text ? fopen(path, "w") : NULL;

	if (f) {
		fputs(text, f);
		fclose(f);
	}
	int scope = permission_yama(root);
	unlink(path);
	for (size_t i = 4; i--;) {
		snprintf(path, sizeof path, "%s%s", root, dirs[i]);
		rmdir(path);
	}
	rmdir(root);
	return scope;
}

static void a_kernel_without_yama_allows_all(void **state)
{
	(void)state;
	assert_int_equal(yama_of("2\n"), 2);
	assert_int_equal(yama_of("nonsense\n"), YAMA_ALL);
	assert_int_equal(yama_of(NULL), YAMA_ALL);
}

static void the_kernel_is_asked_about_ourselves_and_nobody(void **state)
{
	(void)state;
	assert_int_equal(permission_ask(getpid()), 0);
	assert_int_equal(permission_ask(2147483000), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_users_process_names_both),
		cmocka_unit_test(who_may_trace_and_not_write_is_told_what_it_takes),
		cmocka_unit_test(an_undumpable_process_is_told_before_yama),
		cmocka_unit_test(yama_has_a_remedy_for_each_of_its_settings),
		cmocka_unit_test(what_root_lacks_is_told),
		cmocka_unit_test(a_profile_is_blamed_for_nothing_else),
		cmocka_unit_test(only_the_strictest_settings_forbid_everything),
		cmocka_unit_test(a_kernel_without_yama_allows_all),
		cmocka_unit_test(the_kernel_is_asked_about_ourselves_and_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
