/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes can be attached to, from plain facts. */
#include "unit/unit.h"

#include "attach/target.h"

enum { PID = 10, SELF = 20 };

static const struct target_facts fine = {
	.exists = true, .state = 'S', .tgid = PID, .live_threads = true};

static void a_process_that_nobody_traces_can_be_had(void **state)
{
	(void)state;
	assert_int_equal(target_judge(&fine, PID, SELF), TARGET_FINE);
}

static void of_another_users_process_it_is_said_first_that_it_is_not_ours(void **state)
{
	struct target_facts f = fine;

	(void)state;
	f.tracer = 30;
	assert_int_equal(target_judge(&f, PID, SELF), TARGET_TRACED);
	f.of_another = true;
	assert_int_equal(target_judge(&f, PID, SELF), TARGET_NOT_PERMITTED);
}

static void what_runs_no_program_is_said_before_who_may_trace_it(void **state)
{
	struct target_facts f = fine;

	(void)state;
	f.tracer = 30;
	f.of_another = true;
	f.live_threads = false;
	assert_int_equal(target_judge(&f, PID, SELF), TARGET_ZOMBIE);
	f.kernel_thread = true;
	assert_int_equal(target_judge(&f, PID, SELF), TARGET_KERNEL_THREAD);
	assert_int_equal(target_judge(&f, PID, PID), TARGET_OURSELVES);
	f.exists = false;
	assert_int_equal(target_judge(&f, PID, SELF), TARGET_NOT_THERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_nobody_traces_can_be_had),
		cmocka_unit_test(of_another_users_process_it_is_said_first_that_it_is_not_ours),
		cmocka_unit_test(what_runs_no_program_is_said_before_who_may_trace_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
