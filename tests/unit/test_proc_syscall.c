/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "proc/syscall.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_call_has_a_number_and_six_arguments(void **state)
{
	struct proc_syscall c;

	(void)state;
	assert_int_equal(proc_syscall_parse("58 0x1 0x2 0x3 0x4 0x5 0xfedcba9876543210 "
					    "0x7ffd22913b78 0x7fe54f7b93b8\n", &c), 0);
	assert_int_equal(c.number, 58);
	assert_int_equal(c.args[0], 1);
	assert_int_equal(c.args[5], 0xfedcba9876543210);
	assert_int_equal(c.sp, 0x7ffd22913b78);
	assert_int_equal(c.pc, 0x7fe54f7b93b8);
}

static void outside_of_a_call_there_are_no_arguments(void **state)
{
	struct proc_syscall c;

	(void)state;
	assert_int_equal(proc_syscall_parse("-1 0x7ffd22913b78 0x7fe54f7b93b8\n", &c), 0);
	assert_int_equal(c.number, -1);
	assert_int_equal(c.args[0], 0);
	assert_int_equal(c.sp, 0x7ffd22913b78);
	assert_int_equal(c.pc, 0x7fe54f7b93b8);
}

static void nothing_is_told_of_who_runs(void **state)
{
	struct proc_syscall c;

	(void)state;
	assert_int_equal(proc_syscall_parse("running\n", &c), -EBUSY);
}

static void what_is_cut_short_is_not_believed(void **state)
{
	struct proc_syscall c;

	(void)state;
	assert_int_equal(proc_syscall_parse("", &c), -EINVAL);
	assert_int_equal(proc_syscall_parse("58 0x1 0x2 0x3", &c), -EINVAL);
	assert_int_equal(proc_syscall_parse("-1 0x7ffd22913b78", &c), -EINVAL);
	assert_int_equal(proc_syscall_parse("nonsense", &c), -EINVAL);
}

static void a_process_that_waits_for_a_byte_is_in_read(void **state)
{
	int gate[2], err;
	struct proc_syscall c = { .number = -1 };

	(void)state;
	assert_int_equal(pipe(gate), 0);
	pid_t pid = fork();
	if (!pid) {
		char byte;

		close(gate[1]);
		_exit(read(gate[0], &byte, 1) == 1);
	}
	do
		err = proc_syscall(pid, &c);
	while (err == -EBUSY || (!err && c.number != SYS_read));
	assert_int_equal(write(gate[1], "x", 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(err, 0);
	assert_int_equal(c.args[0], gate[0]);
	assert_int_equal(c.args[2], 1);
	close(gate[0]);
	close(gate[1]);
}

static void nothing_is_told_of_who_has_gone(void **state)
{
	struct proc_syscall c;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(proc_syscall(pid, &c) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_a_number_and_six_arguments),
		cmocka_unit_test(outside_of_a_call_there_are_no_arguments),
		cmocka_unit_test(nothing_is_told_of_who_runs),
		cmocka_unit_test(what_is_cut_short_is_not_believed),
		cmocka_unit_test(a_process_that_waits_for_a_byte_is_in_read),
		cmocka_unit_test(nothing_is_told_of_who_has_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
