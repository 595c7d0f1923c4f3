/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "control/answer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
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
	char got[64] = "";

	(void)state;
	control_answer(pair[0], "error process %d: %s\n", 17, "gone");
	assert_int_equal(read(pair[1], got, sizeof got - 1), strlen("error process 17: gone\n"));
	assert_string_equal(got, "error process 17: gone\n");
}

static void what_is_too_long_is_cut(void **state)
{
	static char got[3 * CONTROL_ANSWER_MAX], longer[2 * CONTROL_ANSWER_MAX];

	(void)state;
	memset(longer, 'x', sizeof longer - 1);
	control_answer(pair[0], "%s", longer);
	assert_int_equal(read(pair[1], got, sizeof got), CONTROL_ANSWER_MAX - 1);
	assert_memory_equal(got, longer, CONTROL_ANSWER_MAX - 1);
}

/* It would stop the session, or end it. */
static void a_client_that_does_not_listen_keeps_nobody(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		control_answer(pair[0], "%4000d\n", i);
	assert_int_equal(send(pair[0], "x", 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	close(pair[1]);
	pair[1] = -1;
	control_answer(pair[0], "nobody\n");
	control_answer(-1, "nobody\n");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_client_is_told),
		T(what_is_too_long_is_cut),
		T(a_client_that_does_not_listen_keeps_nobody),
	};

	return cmocka_run_group_tests_name("control/answer", tests, NULL, NULL);
}
