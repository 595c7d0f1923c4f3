/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a tracing process that ends unexpectedly. */
#include "unit/unit.h"

#include "session/supervise.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[2000];

static void listen(const char *sentence)
{
	size_t n = strlen(said);

	snprintf(said + n, sizeof said - n, "%s\n", sentence);
}

/* Of the signal, or well. */
static struct ending dies(struct journal *journal, int ready, void *sig)
{
	(void)journal, (void)ready;
	if (sig) {
		/* Whoever runs this test may have had it ignored. */
		signal(*(int *)sig, SIG_DFL);
		kill(getpid(), *(int *)sig);
	}
	return (struct ending){ .status = 7 };
}

static struct ending supervised(int sig)
{
	*said = '\0';
	return supervise(false, dies, sig ? &sig : NULL, listen);
}

static void one_that_ends_well_is_nothing_to_talk_of(void **state)
{
	(void)state;
	assert_int_equal(supervised(0).status, 7);
	assert_string_equal(said, "");
}

/* Before it has set up its own signal handling. */
static void one_that_is_told_to_end_at_its_start_has_not_died(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	char sentence[100];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		assert_int_equal(supervised(signals[i]).signal, signals[i]);
		snprintf(sentence, sizeof sentence,
			 "told to end (%s) before anything was profiled\n", strsignal(signals[i]));
		assert_string_equal(said, sentence);
	}
}

static void that_one_was_killed_is_said(void **state)
{
	(void)state;
	const struct ending e = supervised(SIGKILL);

	assert_int_equal(e.signal, 0);
	assert_int_equal(e.status, 1);
	assert_string_equal(said, "the tracing process died, and what was profiled since the last "
				  "save is lost\n");
}

static int life[2]; /* closed when all who have it are gone */

/* One that never begins, but says that it has been started. */
static struct ending never_begins(struct journal *journal, int ready, void *arg)
{
	(void)journal, (void)ready, (void)arg;
	if (write(life[1], "", 1) == 1)
		for (;;)
			pause();
	return (struct ending){ .status = 7 };
}

static void one_in_the_background_does_not_begin_when_nobody_waits_for_that_any_more(void **state)
{
	char c;
	struct pollfd end = { .events = POLLIN };
	int wstatus = -1;

	(void)state;
	assert_int_equal(pipe(life), 0);
	pid_t pid = fork();
	if (!pid) {
		close(life[0]);
		signal(SIGTERM, SIG_DFL);
		_exit(end_with(supervise(true, never_begins, NULL, listen)));
	}
	close(life[1]);
	assert_int_equal(read(life[0], &c, 1), 1);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_int_equal(wstatus, SIGTERM);
	end.fd = life[0];
	assert_int_equal(poll(&end, 1, 60000), 1);
	assert_int_equal(read(life[0], &c, 1), 0);
	close(life[0]);
}

/* Not to a file, and not to a program of core_pattern either. */
static void who_ends_by_the_programs_signal_dumps_no_core(void **state)
{
	int wstatus = -1;
	pid_t pid = fork();

	(void)state;
	/* One that does not end it. */
	if (!pid)
		_exit(end_with((struct ending){ .signal = SIGCHLD }) == 128 + SIGCHLD
			      ? prctl(PR_GET_DUMPABLE)
			      : 3);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_int_equal(wstatus, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_ends_by_the_programs_signal_dumps_no_core),
		cmocka_unit_test(
			one_in_the_background_does_not_begin_when_nobody_waits_for_that_any_more),
		cmocka_unit_test(one_that_ends_well_is_nothing_to_talk_of),
		cmocka_unit_test(one_that_is_told_to_end_at_its_start_has_not_died),
		cmocka_unit_test(that_one_was_killed_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
