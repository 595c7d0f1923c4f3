/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "attach/kernel.h"
#include "attach/sigmask.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIT(sig) (1ull << ((sig) - 1))

/* What the kernel keeps of a mask with all signals. */
#define EVERYTHING (~(BIT(SIGKILL) | BIT(SIGSTOP)))

static void a_trap_is_blocked_again_if_all_else_is(void **state)
{
	(void)state;
	assert_true(sigmask_mend(EVERYTHING & ~BIT(SIGTRAP)) == EVERYTHING);
	assert_true(sigmask_mend(EVERYTHING) == EVERYTHING);
	/* the C library keeps two for itself */
	sigmask of_libc = EVERYTHING & ~(BIT(32) | BIT(33));
	assert_true(sigmask_mend(of_libc & ~BIT(SIGTRAP)) == of_libc);
}

static void a_mask_with_any_other_gap_is_left_alone(void **state)
{
	(void)state;
	assert_true(sigmask_mend(0) == 0);
	for (int sig = 1; sig < 32; sig++) {
		sigmask m = EVERYTHING & ~BIT(sig) & ~BIT(SIGTRAP);

		if (sig != SIGTRAP && sig != SIGKILL && sig != SIGSTOP)
			assert_true(sigmask_mend(m) == m);
	}
}

/* How many of the next @n entries ask. */
static int asked(struct mask_watch *m, int n)
{
	int due = 0;

	while (n-- > 0)
		due += sigmask_is_due(m, true);
	return due;
}

static void the_first_entries_all_ask_and_then_some(void **state)
{
	struct mask_watch m = { 0 };

	(void)state;
	assert_int_equal(asked(&m, 256), 256);
	assert_int_equal(asked(&m, 8), 1);
	assert_int_equal(asked(&m, 8000), 1000);
}

static void no_eight_entries_pass_without_asking(void **state)
{
	struct mask_watch m = { 0 };
	int silent = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		silent = sigmask_is_due(&m, true) ? 0 : silent + 1;
		assert_true(silent < 8);
	}
}

static void an_end_asks_only_if_all_were_blocked(void **state)
{
	struct mask_watch m = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_false(sigmask_is_due(&m, false));
	assert_int_equal(asked(&m, 1), 1);
	m.blocks_all = true;
	for (int i = 0; i < 1000; i++)
		assert_true(sigmask_is_due(&m, i % 2));
}

static void a_mask_that_cannot_be_had_changes_nothing(void **state)
{
	struct kernel kernel = kernel_of_system(NULL);
	struct mask_watch m = { 0 };
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	sigmask_restore(&m, &kernel, pid); /* nobody traces it */
	assert_false(m.blocks_all);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trap_is_blocked_again_if_all_else_is),
		cmocka_unit_test(a_mask_with_any_other_gap_is_left_alone),
		cmocka_unit_test(the_first_entries_all_ask_and_then_some),
		cmocka_unit_test(no_eight_entries_pass_without_asking),
		cmocka_unit_test(an_end_asks_only_if_all_were_blocked),
		cmocka_unit_test(a_mask_that_cannot_be_had_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
