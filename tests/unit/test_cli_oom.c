/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "cli/oom.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GIVEN = 300 }; /* anybody may raise it, and go back to 0 */

static int score(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "r");
	int n = -9999;

	if (!f || fscanf(f, "%d", &n) != 1)
		fail_msg("cannot read oom_score_adj");
	fclose(f);
	return n;
}

static void give_score(int n)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "w");

	if (!f || fprintf(f, "%d", n) < 0 || fclose(f))
		fail_msg("cannot write oom_score_adj");
}

static void the_process_is_spared_and_its_children_are_as_it_was(void **state)
{
	int wstatus;

	(void)state;
	give_score(GIVEN);
	oom_protect();
	const int spared = score();
	assert_true(spared == 0 || spared == -500);
	assert_int_equal(atoi(oom_told()), spared);
	pid_t pid = fork();
	if (!pid)
		_exit(score() == GIVEN ? 0 : 1);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_int_equal(wstatus, 0);
	assert_int_equal(score(), spared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_process_is_spared_and_its_children_are_as_it_was),
	};

	return cmocka_run_group_tests_name("oom", tests, NULL, NULL);
}
