/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "control/control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PID = 4711 };

struct place {
	char dir[64], sockets[80], socket[96];
};

static int make_place(void **state)
{
	static struct place p;

	snprintf(p.dir, sizeof p.dir, "/tmp/test_control.XXXXXX");
	if (!mkdtemp(p.dir))
		return -1;
	snprintf(p.sockets, sizeof p.sockets, "%s/mprof", p.dir);
	snprintf(p.socket, sizeof p.socket, "%s/%d.sock", p.sockets, PID);
	*state = &p;
	/* A session's readiness is told by it; here nobody waits. */
	signal(SIGIO, SIG_IGN);
	return setenv("XDG_RUNTIME_DIR", p.dir, 1);
}

static int remove_place(void **state)
{
	struct place *p = *state;

	unlink(p->socket);
	return rmdir(p->sockets) || rmdir(p->dir);
}

static void test_one_session_each(void **state)
{
	struct place *p = *state;
	struct error e = { "" };
	struct control *c = control_open(PID, &e);

	assert_non_null(c);
	assert_null(control_open(PID, &e));
	assert_string_equal(e.text, "process 4711 has a session already; see mprof status");
	assert_int_equal(access(p->socket, F_OK), 0);
	control_close(c);
	assert_int_equal(access(p->socket, F_OK), -1);
}

/* A session that answers its last client makes room first, and then does not touch its successor's. */
static void test_stopped(void **state)
{
	struct place *p = *state;
	struct error e = { "" };
	struct control_request r;
	struct control *old = control_open(PID, &e), *new;

	assert_non_null(old);
	control_stop(old);
	assert_int_equal(access(p->socket, F_OK), -1);
	assert_false(control_next(old, &r));
	new = control_open(PID, &e);
	assert_non_null(new);
	control_stop(old);
	control_close(old);
	assert_int_equal(access(p->socket, F_OK), 0);
	control_close(new);
}

static int connect_to(const struct place *p)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%s", p->socket);
	assert_return_code(connect(fd, (struct sockaddr *)&a, sizeof a), errno);
	return fd;
}

/* It must not look like a session that was killed. */
static void assert_told_of_the_end(int fd)
{
	char answer[32] = "";

	assert_int_equal(recv(fd, answer, sizeof answer - 1, 0), strlen(CONTROL_ENDED));
	assert_string_equal(answer, CONTROL_ENDED);
	close(fd);
}

static void test_who_comes_as_it_ends_is_told_so(void **state)
{
	struct error e = { "" };
	struct control_request r;
	struct control *c = control_open(PID, &e);
	int silent = connect_to(*state), half = connect_to(*state);

	assert_int_equal(send(half, "det", 3, 0), 3);
	assert_false(control_next(c, &r));
	int queued = connect_to(*state), whole = connect_to(*state);

	assert_int_equal(send(whole, "detach\n", 7, 0), 7);
	control_stop(c);
	assert_true(control_next(c, &r));
	assert_string_equal(r.line, "detach");
	assert_false(control_next(c, &r));
	control_close(c);
	assert_told_of_the_end(silent);
	assert_told_of_the_end(half);
	assert_told_of_the_end(queued);
	close(r.fd);
	close(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_session_each, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_stopped, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_who_comes_as_it_ends_is_told_so, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
