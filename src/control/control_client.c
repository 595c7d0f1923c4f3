/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/control_dir.h"
#include "control/notes.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 30 };

static int64_t now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000);
}

/* All the session says until it closes. */
static int read_answer(int fd, char *answer, size_t size, int64_t until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n = 0;

	for (;;) {
		int64_t left = until - now_ms();
		char rest[4096];

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return -ETIMEDOUT;
		ssize_t got = n + 1 < size ? read(fd, answer + n, size - 1 - n) :
					     read(fd, rest, sizeof rest);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			answer[n] = '\0';
			return 0;
		}
		if (n + 1 < size)
			n += (size_t)got;
	}
}

static int no_answer(pid_t pid, unsigned seconds, struct error *e)
{
	return error_set(e, -ETIMEDOUT, "the session of process %d has not answered for %u seconds",
			 (int)pid, seconds);
}

static int cannot_talk(pid_t pid, int err, struct error *e)
{
	return error_set(e, err, "cannot talk to the session of process %d: %s", (int)pid, strerror(-err));
}

/* A session whose queue of clients is full keeps who connects waiting: not for ever. */
static int connect_in(const char *dir, pid_t pid, unsigned seconds)
{
	struct timeval patience = { .tv_sec = seconds };
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof a.sun_path, "%s/%d.sock", dir, (int)pid);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (!connect(fd, (struct sockaddr *)&a, sizeof a))
		return fd;
	int err = -errno;
	close(fd);
	if (err != -ECONNREFUSED)
		return err;
	unlink(a.sun_path); /* its tracer was killed */
	return -ENOENT;
}

bool control_last_word(pid_t *pid, struct error *sentence)
{
	struct control_dirs dirs;
	bool found = false;

	if (control_dirs_find(&dirs, NULL))
		return false;
	for (size_t i = 0; i < dirs.n && !found; i++)
		found = note_find(dirs.path[i], pid, sentence);
	return found;
}

static int connect_to(pid_t pid, unsigned seconds, struct error *e)
{
	struct control_dirs dirs;
	int err = control_dirs_find(&dirs, e), fd = -ENOENT;

	if (err)
		return err;
	for (size_t i = 0; i < dirs.n && fd == -ENOENT; i++)
		fd = connect_in(dirs.path[i], pid, seconds);
	if (fd >= 0)
		return fd;
	if (fd == -EAGAIN)
		return no_answer(pid, seconds, e);
	if (fd != -ENOENT)
		return cannot_talk(pid, fd, e);
	struct error last;
	return control_last_word(&pid, &last) ?
		       error_set(e, -ENOENT, "there is no session for process %d any more: the last one %s", (int)pid,
				 last.text) :
		       error_set(e, -ENOENT, "there is no session for process %d; see mprof status", (int)pid);
}

bool control_is_there(pid_t pid)
{
	struct error ignored;
	int fd = connect_to(pid, 1, &ignored);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -ETIMEDOUT;
}

static int send_line(int fd, const char *line)
{
	struct iovec parts[] = { { (char *)line, strlen(line) }, { (char *)"\n", 1 } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };

	return sendmsg(fd, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int control_ask(pid_t pid, const char *line, char *answer, size_t size, unsigned seconds,
		struct error *e)
{
	int fd = connect_to(pid, seconds, e);

	if (fd < 0)
		return fd;
	/* A session that ends does not wait for our line: its last word may be there already. */
	int unsent = send_line(fd, line), err = read_answer(fd, answer, size, now_ms() + seconds * 1000);
	close(fd);
	if (err == -ETIMEDOUT)
		return no_answer(pid, seconds, e);
	if (!strcmp(answer, CONTROL_ENDED))
		return error_set(e, -ECONNRESET, "the session of process %d has just ended", (int)pid);
	return unsent ? cannot_talk(pid, unsent, e) : 0;
}

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static void sessions_in(const char *dir, pid_t **pids, size_t *n, size_t *cap)
{
	DIR *d = opendir(dir);

	for (struct dirent *entry; d && (entry = readdir(d));) {
		int pid, end = 0;

		if (sscanf(entry->d_name, "%d.sock%n", &pid, &end) != 1 || !end || entry->d_name[end])
			continue;
		int fd = connect_in(dir, pid, 1);
		if (fd < 0)
			continue;
		close(fd);
		if (ARRAY_RESERVE(pids, cap, *n))
			break;
		(*pids)[(*n)++] = pid;
	}
	if (d)
		closedir(d);
}

ssize_t control_sessions(pid_t **pids, struct error *e)
{
	struct control_dirs dirs;
	size_t n = 0, cap = 0;

	*pids = NULL;
	int err = control_dirs_find(&dirs, e);
	if (err)
		return err;
	for (size_t i = 0; i < dirs.n; i++)
		sessions_in(dirs.path[i], pids, &n, &cap);
	if (*pids)
		qsort(*pids, n, sizeof **pids, compare_pids);
	return (ssize_t)n;
}

pid_t control_tracing(pid_t pid)
{
	char line[32], answer[256];
	pid_t *pids, found = 0;
	struct error e;
	ssize_t n = control_sessions(&pids, &e);

	snprintf(line, sizeof line, "traces %d", (int)pid);
	for (ssize_t i = 0; pids && i < n && !found; i++)
		if (!control_ask(pids[i], line, answer, sizeof answer, ANSWER_SECONDS, &e) &&
		    !strncmp(answer, "ok", 2))
			found = pids[i];
	free(pids);
	return found;
}
