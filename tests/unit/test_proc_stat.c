/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "proc/stat.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void fields_are_counted_from_behind_the_name(void **state)
{
	const char *text = "4711 (a) R (b c) 1) S 1 2 3 4\n";

	(void)state;
	assert_int_equal(*procstat_field(text, 3), 'S');
	assert_int_equal(atoi(procstat_field(text, 4)), 1);
	assert_int_equal(atoi(procstat_field(text, 7)), 4);
	assert_null(procstat_field(text, 8));
}

static void what_is_no_stat_has_none(void **state)
{
	(void)state;
	assert_null(procstat_field("", 3));
	assert_null(procstat_field("4711 name S 1", 3));
	assert_null(procstat_field("4711 (name)", 3));
}

static void ours_is_told_under_any_name(void **state)
{
	char was[16];

	(void)state;
	prctl(PR_GET_NAME, was);
	prctl(PR_SET_NAME, "a\n) S 1 1 (");
	uint64_t parent = procstat_number(getpid(), 4), threads = procstat_number(getpid(), 20);
	prctl(PR_SET_NAME, was);

	assert_int_equal(parent, getppid());
	assert_true(threads >= 1);
	assert_true(start_stack(getpid()) != 0);
	/* above PID_MAX_LIMIT, so nobody's */
	assert_int_equal(procstat_number(999999999, 4), 0);
}

static void the_kernels_own_threads_are_known_by_flag_and_name(void **state)
{
	(void)state;
	assert_true(procstat_is_worker("7 (iou-wrk-4711) S 1 2 3 4 5 80 0"));
	assert_true(procstat_is_worker("7 (iou-sqp-4711) S 1 2 3 4 5 4210768 0"));
	assert_true(procstat_is_worker("7 (vhost-4711) S 1 2 3 4 5 16384 0"));
	assert_false(procstat_is_worker("7 (iou-wrk-4711) S 1 2 3 4 5 64 0"));
	assert_false(procstat_is_worker("7 (qemu) S 1 2 3 4 5 16 0"));
	assert_false(procstat_is_worker("7 (vhost-4711) S 1 2 3 4 5 16 0"));
	assert_false(procstat_is_worker("7 (iou-wrk-4711) S 1 2 3 4"));
	assert_false(procstat_is_worker(""));
	assert_false(procstat_worker(getpid()));
	assert_false(procstat_worker(999999999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_counted_from_behind_the_name),
		cmocka_unit_test(what_is_no_stat_has_none),
		cmocka_unit_test(ours_is_told_under_any_name),
		cmocka_unit_test(the_kernels_own_threads_are_known_by_flag_and_name),
	};

	return cmocka_run_group_tests_name("procstat", tests, NULL, NULL);
}
