/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "control/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int pair[2];

static int setup(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

static int teardown(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static void a_client_is_told(void **state)
{
	struct control_asker old = { .fd = pair[0], .version = 1 };
	char got[64] = "";

	(void)state;
	control_answer(&old, false, "process 17: gone");
	assert_int_equal(read(pair[1], got, sizeof got - 1), strlen("error process 17: gone\n"));
	assert_string_equal(got, "error process 17: gone\n");
}

static void a_part_is_cut_for_all_to_see_if_it_does_not_come_whole(void **state)
{
	struct control_asker to = { .fd = pair[0], .version = CONTROL_VERSION };
	char got[64];

	(void)state;
	control_answer_begin(&to, 2);
	control_answer_part(&to, true, "one");
	ssize_t n = read(pair[1], got, sizeof got);
	assert_int_equal(n, strlen("mprof/2 2\nok\none") + 1);
	assert_memory_equal(got, "mprof/2 2\nok\none", (size_t)n);
}

/* The status of thousands of processes is that long. */
static void a_long_answer_comes_whole(void **state)
{
	struct control_asker to = { .fd = pair[0], .version = CONTROL_VERSION };
	enum { LONG = 4 << 20 };
	char *text = malloc(LONG), piece[4096];
	size_t got = 0;
	ssize_t n;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LONG - 1);
	text[LONG - 1] = '\0';
	control_answer(&to, true, text);
	close(pair[0]);
	pair[0] = -1;
	while ((n = read(pair[1], piece, sizeof piece)) > 0)
		got += (size_t)n;
	assert_int_equal(n, 0);
	assert_int_equal(got, strlen("mprof/2 1\nok\n") + LONG);
	assert_true(waitpid(-1, NULL, 0) > 0);
	free(text);
}

/* Otherwise it would block the session, or end it. */
static void a_client_that_does_not_listen_keeps_nobody(void **state)
{
	struct control_asker to = { .fd = pair[0], .version = CONTROL_VERSION };
	static char much[4000];

	(void)state;
	memset(much, 'x', sizeof much - 1);
	for (unsigned i = 0; i < 1000; i++)
		control_answer_part(&to, true, much);
	assert_int_equal(send(pair[0], much, sizeof much, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	close(pair[1]);
	pair[1] = -1;
	control_answer(&to, true, "nobody");
	control_answer_at_length(&to, "nobody");
	to.fd = -1;
	control_answer(&to, true, "nobody");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_client_is_told),
		T(a_part_is_cut_for_all_to_see_if_it_does_not_come_whole),
		T(a_long_answer_comes_whole),
		T(a_client_that_does_not_listen_keeps_nobody),
	};

	return cmocka_run_group_tests_name("control/answer", tests, NULL, NULL);
}
