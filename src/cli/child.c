/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/child.h"

#include "base/clock.h"
#include "base/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- starting it ---- */

static int redirect(posix_spawn_file_actions_t *actions, int out, enum child_errors errors)
{
	int err = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);

	if (err)
		return err;
	return errors == CHILD_ERRORS_READ
		       ? posix_spawn_file_actions_adddup2(actions, out, STDERR_FILENO)
		       : posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null",
							  O_WRONLY, 0);
}

/* Unblock signals and reset them: the child would inherit that, and a Ctrl-C is meant for both. */
static int set_signals(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	int err = posix_spawnattr_setsigmask(attributes, &none);
	err = err ? err : posix_spawnattr_setsigdefault(attributes, &all);
	return err ? err
		   : posix_spawnattr_setflags(attributes,
					      POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Returns its pid, or -errno. */
static pid_t spawn(const struct child *c, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	err = posix_spawnattr_init(&attributes);
	if (!err) {
		err = redirect(&actions, out, c->errors);
		err = err ? err : set_signals(&attributes);
		if (!err)
			err = posix_spawnp(&pid, c->argv[0], &actions, &attributes, c->argv,
					   environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return err ? -err : pid;
}

/* Start it with its output in a pipe. Returns its pid, or -errno. */
static pid_t begin(const struct child *c, int *out)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid_t pid = spawn(c, ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*out = ends[0];
	return pid;
}

/* ---- its output ---- */

struct line {
	char text[3 * PATH_MAX];
	size_t n;
};

static int tell(const struct child *c, struct line *l)
{
	l->text[l->n] = '\0';
	l->n = 0;
	return c->line(c->ctx, l->text);
}

static int take(const struct child *c, struct line *l, const char *piece, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		if (l->n + 1 < sizeof l->text)
			l->text[l->n++] = piece[i];
		if (piece[i] == '\n')
			err = tell(c, l);
	}
	return err;
}

/* 1: there is something to read, or EOF; 0: interrupted. */
static int await(int fd, uint64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = clock_now_ns();

	if (now >= until_ns)
		return -ETIMEDOUT;
	int ready = poll(&p, 1, (int)((until_ns - now) / 1000000) + 1);
	return ready >= 0 ? ready : errno == EINTR ? 0 : -errno;
}

static int read_lines(const struct child *c, int fd, uint64_t until_ns)
{
	struct line l = { .n = 0 };
	char piece[4096];
	ssize_t n = 1;
	int err = 0;

	while (!err && n > 0) {
		int ready = await(fd, until_ns);

		if (ready <= 0) {
			err = ready;
			continue;
		}
		n = read(fd, piece, sizeof piece);
		err = n < 0 ? -errno : take(c, &l, piece, (size_t)n);
	}
	return !err && l.n ? tell(c, &l) : err;
}

/* ---- its end ---- */

static bool has_ended(pid_t pid, int *wstatus)
{
	return waitpid(pid, wstatus, WNOHANG) != 0;
}

/* It may go on running after it has closed its output. */
static int await_end(pid_t pid, uint64_t until_ns, int *wstatus)
{
	while (!has_ended(pid, wstatus)) {
		if (clock_now_ns() >= until_ns)
			return -ETIMEDOUT;
		poll(NULL, 0, 1);
	}
	return 0;
}

static void end(pid_t pid, int *wstatus)
{
	kill(pid, SIGKILL);
	reap(pid, wstatus);
}

int child_lines(const struct child *c, int *wstatus)
{
	const uint64_t until_ns = clock_now_ns() + c->limit_ms * UINT64_C(1000000);
	int out = -1;
	pid_t pid = begin(c, &out);

	*wstatus = 0;
	if (pid < 0)
		return pid;
	int err = read_lines(c, out, until_ns);
	close(out);
	if (!err)
		err = await_end(pid, until_ns, wstatus);
	if (err)
		end(pid, wstatus);
	return err;
}
