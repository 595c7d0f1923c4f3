/* SPDX-License-Identifier: BSD-2-Clause */
/* We write a file for a user only if that user could write it. */
#include "unit/unit.h"

#include "proc/rights.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct proc_rights ours = {
	.known = true,
	.uid = 1000,
	.gid = 100,
	.capabilities = 0x30,
	.filters = 1,
	.groups = "\t4 24 100 4294967294 ",
	.label = "some",
};

static void expect(const struct proc_rights *r, const char *words)
{
	const char *lacks = rights_lacking(r, &ours);

	if (words ? !lacks || !strstr(lacks, words) : lacks != NULL)
		fail_msg("\"%s\", not \"%s\"", lacks ? lacks : "nothing",
			 words ? words : "nothing");
}

static void each_right_that_is_missing_is_told(void **state)
{
	struct proc_rights r = ours;

	(void)state;
	expect(&r, NULL);
#define WITH(field, value, words)                                                                  \
	do {                                                                                       \
		r = ours;                                                                          \
		r.field = (value);                                                                 \
		expect(&r, words);                                                                 \
	} while (0)
	WITH(known, false, "cannot be told");
	WITH(uid, 0, "another user's");
	WITH(gid, 0, "another group's");
	WITH(capabilities, 0x10, "not all capabilities");
	WITH(capabilities, 0, "not all capabilities");
	WITH(filters, 2, "seccomp");
	WITH(other_user_ns, true, "another user namespace");
	WITH(other_files, true, "sees other files");
	WITH(label[0], 'S', "security label");
	/* more than we have */
	WITH(capabilities, 0xf0, NULL);
	WITH(filters, 0, NULL);
#undef WITH
}

static void each_group_that_is_missing_is_told(void **state)
{
	static const char *const fewer[] = { "", "4", "4 24", "4 2 4294967294", "24 4294967294" };
	struct proc_rights r = ours;

	(void)state;
	for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
		r = ours;
		strcpy(r.groups, fewer[i]);
		expect(&r, "not in all groups");
		r.capabilities |= 1 << CAP_DAC_OVERRIDE;
		expect(&r, NULL);
	}
	r = ours;
	strcpy(r.groups, "4 24 4294967294"); /* 100 is its own group */
	expect(&r, NULL);
	strcpy(r.groups, "0 4 24 27 100 4294967294");
	expect(&r, NULL);
}

/* What is said of a child that has done @give_up; NULL if that is not possible here. */
static const char *said_of(int (*give_up)(void))
{
	int ready[2];
	char done = 0;

	assert_int_equal(pipe(ready), 0);
	const pid_t pid = fork();

	if (!pid) {
		done = give_up() == 0 ? 'y' : 'n';
		if (write(ready[1], &done, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &done, 1), 1);
	const char *lacks = proc_lacks_our_rights(pid);

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* Who is gone may do nothing. */
	assert_string_equal(proc_lacks_our_rights(pid), "what it may do itself cannot be told");
	close(ready[0]);
	close(ready[1]);
	if (done == 'n')
		print_message("# not possible here\n");
	return done == 'n' ? "" : lacks;
}

static int nothing(void)
{
	return 0;
}

static int change_user(void)
{
	return setuid(65534);
}

static int change_group(void)
{
	return setgid(65534);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return (int)syscall(SYS_capset, &head, data);
}

static int enter_user_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

static int enter_mount_namespace(void)
{
	return unshare(CLONE_NEWNS);
}

static int change_root(void)
{
	return chroot("/proc");
}

static int filter_calls(void)
{
	/* strict: what it may do is read, write and end */
	return prctl(PR_SET_SECCOMP, 1, 0, 0, 0);
}

static void expect_of(int (*give_up)(void), const char *words)
{
	const char *lacks = said_of(give_up);

	if (!lacks || (*lacks && !strstr(lacks, words)))
		fail_msg("\"%s\", not \"%s\"", lacks ? lacks : "nothing", words);
}

static void what_a_process_has_given_up_is_seen(void **state)
{
	(void)state;
	assert_null(proc_lacks_our_rights(gettid()));
	assert_null(said_of(nothing));
	if (geteuid() != 0) {
		print_message("# only root can give up rights\n");
		return;
	}
	expect_of(change_user, "another user's");
	expect_of(change_group, "another group's");
	expect_of(drop_capabilities, "capabilities");
	expect_of(enter_user_namespace, "user namespace");
	expect_of(enter_mount_namespace, "other files");
	expect_of(change_root, "other files");
}

/* Two processes of the same user, of whom one is in a group more. */
static void groups_that_a_process_has_left_are_seen(void **state)
{
	const gid_t groups[] = { 65532, 65533 };
	struct proc_rights r[2];

	(void)state;
	if (geteuid() != 0) {
		print_message("# only root can leave groups\n");
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		int ready[2];
		char c;

		assert_int_equal(pipe(ready), 0);
		const pid_t pid = fork();

		if (!pid) {
			if (setgroups(1 + i, groups) || setgid(65534) || setuid(65534) ||
			    write(ready[1], "", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		assert_int_equal(read(ready[0], &c, 1), 1);
		r[i] = proc_rights(pid);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(ready[0]);
		close(ready[1]);
	}
	assert_true(r[0].known && r[1].known);
	assert_null(rights_lacking(&r[1], &r[0]));
	assert_string_equal(rights_lacking(&r[0], &r[1]),
			    "it is not in all groups that mprof is in");
}

static void a_filter_that_we_have_not_is_seen(void **state)
{
	int ready[2];
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	const pid_t pid = fork();

	if (!pid) {
		filter_calls();
		if (write(ready[1], "", 1) == 1)
			while (read(ready[0], &c, 1) > 0)
				;
		syscall(SYS_exit, 0);
	}
	struct proc_rights own = proc_rights(gettid()), r = own;

	for (int i = 0; i < 1000 && r.filters == own.filters; i++) {
		usleep(1000);
		r = proc_rights(pid);
	}
	assert_string_equal(rights_lacking(&r, &own), "a seccomp filter restricts it");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_right_that_is_missing_is_told),
		cmocka_unit_test(each_group_that_is_missing_is_told),
		cmocka_unit_test(groups_that_a_process_has_left_are_seen),
		cmocka_unit_test(what_a_process_has_given_up_is_seen),
		cmocka_unit_test(a_filter_that_we_have_not_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
