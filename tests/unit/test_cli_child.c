/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that is run for its output is ended, whatever it does. */
#include "unit/unit.h"

#include "cli/child.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
	LONG_MS = 100000, /* nobody waits so long */
	SHORT_MS = 50,
};

/* What was printed, one behind the other. */
struct heard {
	char text[256];
	size_t longest;
	int answer;	/* to each line */
};

static int hear(void *ctx, char *line)
{
	struct heard *h = ctx;
	size_t n = strlen(line);

	h->longest = n > h->longest ? n : h->longest;
	strncat(h->text, line, sizeof h->text - strlen(h->text) - 1);
	return h->answer;
}

static int shell(const char *script, unsigned limit_ms, struct heard *h, int *wstatus)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	const struct child c = { argv, CHILD_ERRORS_DROPPED, limit_ms, hear, h };

	int err = child_lines(&c, wstatus);
	/* Whatever came of it, nobody is left behind. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return err;
}

static void each_line_is_told_and_the_last_one_without_its_end(void **state)
{
	struct heard h = { "", 0, 0 };
	int wstatus;

	(void)state;
	assert_int_equal(shell("echo one; echo lost >&2; printf 'two\\nth'; printf ree; exit 3",
			       LONG_MS, &h, &wstatus),
			 0);
	assert_string_equal(h.text, "one\ntwo\nthree");
	assert_true(WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == 3);
}

static void a_line_without_end_is_cut(void **state)
{
	struct heard h = { "", 0, 0 };
	int wstatus;

	(void)state;
	assert_int_equal(shell("head -c 100000 /dev/zero | tr '\\0' x", LONG_MS, &h, &wstatus), 0);
	assert_int_equal(h.longest, 3 * PATH_MAX - 1);
}

static void whoever_hangs_is_killed(void **state)
{
	struct heard h = { "", 0, 0 };
	int wstatus;

	(void)state;
	assert_int_equal(shell("exec sleep 1000", SHORT_MS, &h, &wstatus), -ETIMEDOUT);
	assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGKILL);
}

static void whoever_prints_without_end_is_killed(void **state)
{
	struct heard h = { "", 0, 0 };
	int wstatus;

	(void)state;
	assert_int_equal(shell("exec yes", SHORT_MS, &h, &wstatus), -ETIMEDOUT);
	assert_true(WIFSIGNALED(wstatus));
}

static void whoever_has_no_more_to_say_and_hangs_is_killed(void **state)
{
	struct heard h = { "", 0, 0 };
	int wstatus;

	(void)state;
	assert_int_equal(shell("exec sleep 1000 >&-", SHORT_MS, &h, &wstatus), -ETIMEDOUT);
	assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGKILL);
}

static void an_answer_ends_it(void **state)
{
	struct heard h = { "", 0, -EINVAL };
	int wstatus;

	(void)state;
	assert_int_equal(shell("echo one; echo two; exec sleep 1000", LONG_MS, &h, &wstatus),
			 -EINVAL);
	assert_string_equal(h.text, "one\n");
	assert_true(WIFSIGNALED(wstatus));
}

static void what_is_held_off_here_is_not_there(void **state)
{
	struct heard h = { "", 0, 0 };
	sigset_t interrupt;
	int wstatus;

	(void)state;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(shell("kill -INT $$; echo still there", LONG_MS, &h, &wstatus), 0);
	assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGINT);
	assert_int_equal(shell("kill -PIPE $$; echo still there", LONG_MS, &h, &wstatus), 0);
	assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGPIPE);
	assert_string_equal(h.text, "");
}

static void what_cannot_be_run_is_told(void **state)
{
	char *argv[] = { (char *)"/nonexistent", NULL };
	struct heard h = { "", 0, 0 };
	const struct child c = { argv, CHILD_ERRORS_READ, LONG_MS, hear, &h };
	int wstatus;

	(void)state;
	assert_int_equal(child_lines(&c, &wstatus), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_told_and_the_last_one_without_its_end),
		cmocka_unit_test(a_line_without_end_is_cut),
		cmocka_unit_test(whoever_hangs_is_killed),
		cmocka_unit_test(whoever_prints_without_end_is_killed),
		cmocka_unit_test(whoever_has_no_more_to_say_and_hangs_is_killed),
		cmocka_unit_test(an_answer_ends_it),
		cmocka_unit_test(what_is_held_off_here_is_not_there),
		cmocka_unit_test(what_cannot_be_run_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
