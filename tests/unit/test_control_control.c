/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "control/control_dir.h"
#include "control/control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
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
	/* Nor are this machine's sessions ours. */
	return setenv("TMPDIR", p.dir, 1) || setenv("XDG_RUNTIME_DIR", p.dir, 1);
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
	struct control *c, *second;

	assert_int_equal(control_open(PID, &c, &e), 0);
	assert_string_equal(e.text, "");
	assert_int_equal(control_open(PID, &second, &e), -EADDRINUSE);
	assert_null(second);
	assert_string_equal(e.text, "process 4711 has a session already; mprof detach 4711 ends it "
			    "when all is saved (mprof status)");
	assert_int_equal(access(p->socket, F_OK), 0);
	control_close(c);
	assert_int_equal(access(p->socket, F_OK), -1);
}

/* A session that answers its last client removes its socket first, and then leaves its successor's
 * alone. */
static void test_stopped(void **state)
{
	struct place *p = *state;
	struct error e = { "" };
	struct control_request r;
	struct control *old, *new;

	assert_int_equal(control_open(PID, &old, &e), 0);
	control_stop(old);
	assert_int_equal(access(p->socket, F_OK), -1);
	assert_false(control_next(old, &r));
	assert_int_equal(control_open(PID, &new, &e), 0);
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
	struct control *c;

	assert_int_equal(control_open(PID, &c, &e), 0);
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
	close(r.from.fd);
	close(whole);
}

/* Whatever the umask, and from the first moment on. */
static void test_the_socket_is_its_user_s_alone(void **state)
{
	struct place *p = *state;
	struct error e = { "" };
	struct control *c;
	struct stat st;
	mode_t mask = umask(0);

	assert_int_equal(control_open(PID, &c, &e), 0);
	umask(mask);
	assert_return_code(stat(p->socket, &st), errno);
	assert_int_equal(st.st_mode & 07777, 0600);
	control_close(c);
}

/* Something at the socket's name that is no socket. */
static void assert_no_session_there(const struct place *p)
{
	struct error e = { "" };
	struct control *c;

	assert_int_equal(control_open(PID, &c, &e), -EEXIST);
	assert_null(c);
	assert_non_null(strstr(e.text, "cannot open the control socket"));
	assert_non_null(strstr(e.text, p->socket));
	assert_int_equal(control_ask(PID, CONTROL_TEXT, "status", 1, &(struct control_answer){ 0 },
				     &e),
			 -ENOENT);
	assert_return_code(unlink(p->socket), errno);
}

/* Another program of the same user may have put anything there. */
static void test_what_is_no_socket_is_no_session(void **state)
{
	struct place *p = *state;
	char other[112];
	struct error e = { "" };
	struct control *c;

	assert_return_code(mkdir(p->sockets, 0700), errno);
	assert_return_code(mkfifo(p->socket, 0600), errno);
	assert_no_session_there(p);
	/* A link, though it leads to a session: it might be another one's tomorrow. */
	assert_int_equal(control_open(PID + 1, &c, &e), 0);
	snprintf(other, sizeof other, "%d.sock", PID + 1);
	assert_return_code(symlink(other, p->socket), errno);
	assert_no_session_there(p);
	control_close(c);
}

/* The process to be traced listens on the session's path itself, and would answer in our name. */
static void test_a_process_is_not_its_own_session(void **state)
{
	struct error e = { "" };
	struct control *c;
	int ready[2], status;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)!write(ready[1], "", control_open(getpid(), &c, &e) == 0);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &status, 1), 1);
	assert_int_equal(control_open(pid, &c, &e), -EPERM);
	assert_non_null(strstr(e.text, "itself listens where"));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* When it is gone its socket is as anybody's who was killed. */
	assert_int_equal(control_open(pid, &c, &e), 0);
	control_close(c);
	close(ready[0]);
	close(ready[1]);
}

static ssize_t sessions_seen(void)
{
	struct error e = { "" };
	pid_t *pids;
	ssize_t n = control_sessions(&pids, &e);

	free(pids);
	return n;
}

/* It would wait for itself: a session looks for the tracer of a process that it cannot attach
 * to. */
static void test_a_session_does_not_see_itself(void **state)
{
	struct error e = { "" };
	struct control *c;
	int status;

	(void)state;
	assert_int_equal(control_open(PID, &c, &e), 0);
	assert_int_equal(sessions_seen(), 0);
	pid_t other = fork();
	if (!other)
		_exit((int)sessions_seen());
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(WEXITSTATUS(status), 1);
	control_close(c);
}

static void test_numbers_outside(void **state)
{
	enum { NOBODY = 65534 };
	static const char all[] = "         0          0 4294967295\n";
	static const char root[] = "         0       1000          1\n";
	static const char container[] = "         0       1000          1\n         1     "
					"100000      65536\n";
	uid_t out = 77;

	(void)state;
	assert_true(uid_outside(all, 0, NOBODY, &out));
	assert_int_equal(out, 0);
	assert_true(uid_outside(all, NOBODY, NOBODY, &out));
	assert_int_equal(out, NOBODY);
	assert_true(uid_outside(root, 0, NOBODY, &out));
	assert_int_equal(out, 1000);
	assert_false(uid_outside(root, 1, NOBODY, &out));
	assert_true(uid_outside(container, 33, NOBODY, &out));
	assert_int_equal(out, 100032);
	/* Who has no number looks like this one. */
	assert_false(uid_outside(container, NOBODY, NOBODY, &out));
	assert_false(uid_outside("", NOBODY, NOBODY, &out));
	assert_false(uid_outside("nonsense", 0, NOBODY, &out));
}

static void test_elsewhere(void **state)
{
	struct place *p = *state;
	char dir[CONTROL_DIR_MAX], fallback[120];
	struct control_dirs dirs;
	struct error e;

	assert_return_code(mkdir(p->sockets, 0700), errno);
	snprintf(fallback, sizeof fallback, "%s/mprof-%u", p->dir, (unsigned)geteuid());
	/* One that others can enter is not ours: the other one is taken, and that is said. */
	assert_return_code(chmod(p->sockets, 0755), errno);
	assert_int_equal(control_dir_make(dir, &e), 0);
	assert_string_equal(dir, fallback);
	assert_non_null(strstr(e.text, p->sockets));
	assert_int_equal(control_dirs_find(&dirs, &e), 0);
	assert_int_equal(dirs.n, 1);
	assert_string_equal(dirs.path[0], fallback);
	/* A link is never followed. */
	assert_return_code(rmdir(fallback), errno);
	assert_return_code(symlink(p->dir, fallback), errno);
	assert_int_equal(control_dir_make(dir, &e), -EPERM);
	assert_non_null(strstr(e.text, p->sockets));
	assert_int_equal(control_dirs_find(&dirs, &e), -EPERM);
	assert_return_code(unlink(fallback), errno);
	/* Where both are ours, the first is taken and both are looked at. */
	assert_return_code(chmod(p->sockets, 0700), errno);
	assert_return_code(mkdir(fallback, 0700), errno);
	assert_int_equal(control_dir_make(dir, &e), 0);
	assert_string_equal(dir, p->sockets);
	assert_string_equal(e.text, "");
	assert_int_equal(control_dirs_find(&dirs, &e), 0);
	assert_int_equal(dirs.n, 2);
	assert_return_code(rmdir(fallback), errno);
	/* None is there: no sessions. */
	assert_return_code(rmdir(p->sockets), errno);
	assert_int_equal(control_dirs_find(&dirs, &e), 0);
	assert_int_equal(dirs.n, 0);
	assert_return_code(mkdir(p->sockets, 0700), errno);
}

static volatile sig_atomic_t signals;

static void take_signal(int sig)
{
	(void)sig;
	signals++;
}

/* A session that does not answer; a signal comes soon, and one more if that was not enough. */
static void begin_waiting(struct control **c)
{
	const struct itimerval soon = { .it_value.tv_usec = 50000, .it_interval.tv_sec = 60 };
	struct sigaction sa = { .sa_handler = take_signal };
	struct error e;

	signals = 0;
	assert_int_equal(control_open(PID, c, &e), 0);
	assert_return_code(sigaction(SIGALRM, &sa, NULL), errno);
	assert_return_code(setitimer(ITIMER_REAL, &soon, NULL), errno);
}

static void end_waiting(struct control *c, const char *sentence, const char *part)
{
	const struct itimerval never = { 0 };

	assert_return_code(setitimer(ITIMER_REAL, &never, NULL), errno);
	assert_int_equal(signals, 1);
	assert_non_null(strstr(sentence, part));
	control_close(c);
}

static void test_a_signal_lets_nobody_wait_for_ever(void **state)
{
	struct control_answer a;
	struct control *c;
	struct error e;

	(void)state;
	begin_waiting(&c);
	assert_int_equal(control_ask(PID, CONTROL_JSON, "status", 1, &a, &e), -ETIMEDOUT);
	end_waiting(c, e.text, "has not answered for 1 seconds");
}

static void test_a_signal_ends_the_wait_of_who_wants_that(void **state)
{
	const struct control_patience p = { 3000, &signals };
	struct control_answer a;
	struct control *c;
	struct error e;

	(void)state;
	begin_waiting(&c);
	assert_int_equal(control_ask_until(PID, CONTROL_JSON, "status", &p, &a, &e), -EINTR);
	end_waiting(c, e.text, "had not answered");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_session_each, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_stopped, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_the_socket_is_its_user_s_alone, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(test_what_is_no_socket_is_no_session, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(test_a_process_is_not_its_own_session, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(test_a_session_does_not_see_itself, make_place,
						remove_place),
		cmocka_unit_test(test_numbers_outside),
		cmocka_unit_test_setup_teardown(test_elsewhere, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_who_comes_as_it_ends_is_told_so, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(test_a_signal_lets_nobody_wait_for_ever, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(test_a_signal_ends_the_wait_of_who_wants_that,
						make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
