/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/connect.h"

#include "base/clock.h"
#include "control/control.h"
#include "control/control_dir.h"
#include "control/entry_name.h"
#include "control/notes.h"
#include "control/peer.h"
#include "proc/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* State "t" is also that of a tracer which is traced by its watchdog, for the moment in which a
 * signal is on its way to it. So look several times. */
static bool has_stopped(pid_t pid)
{
	enum { LOOKS = 3, BETWEEN_MS = 10 };

	for (int i = 0; i < LOOKS; i++) {
		const char state = proc_status(pid).state;

		if (state != 'T' && state != 't')
			return false;
		poll(NULL, 0, BETWEEN_MS);
	}
	return true;
}

int connect_no_answer(pid_t pid, unsigned seconds, pid_t by, struct error *e)
{
	struct error stopped = {""};

	if (by > 0 && has_stopped(by))
		error_set(&stopped, 0, ": process %d, which traces it, is stopped; kill -CONT %d "
				       "lets it go on", (int)by, (int)by);
	return error_set(e, -ETIMEDOUT,
			 "the session of process %d has not answered for %u seconds%s", (int)pid,
			 seconds, stopped.text);
}

int connect_cannot_talk(pid_t pid, int err, struct error *e)
{
	return error_set(e, err, "cannot talk to the session of process %d: "
				 "%s", (int)pid, strerror(-err));
}

/* Removes the socket only if it is still the same file: another session may have taken the name. */
static void remove_dead(const struct sockaddr_un *a, const struct stat *was)
{
	struct stat st;

	if (!lstat(a->sun_path, &st) && st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
	    st.st_ctim.tv_sec == was->st_ctim.tv_sec && st.st_ctim.tv_nsec == was->st_ctim.tv_nsec)
		unlink(a->sun_path);
}

/* A session whose queue of clients is full keeps connect(2) waiting: bound that. 0 or -errno. */
static int connect_by(int fd, const struct sockaddr_un *a, int64_t until)
{
	int64_t left = until - clock_now_ms();
	struct timeval patience = { left / 1000, left % 1000 * 1000 };

	if (left > 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	else /* a timeout of 0 would mean none */
		fcntl(fd, F_SETFL, O_NONBLOCK);
	int err = connect(fd, (const struct sockaddr *)a, sizeof *a) ? -errno : 0;
	fcntl(fd, F_SETFL, 0);
	return err;
}

int connect_in(const char *dir, pid_t pid, int64_t until)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;

	entry_name(a.sun_path, sizeof a.sun_path, dir, pid, "sock");
	if (lstat(a.sun_path, &st))
		return -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOENT;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int err = connect_by(fd, &a, until);
	if (!err && !peer_is_ours(fd, NULL))
		err = -EPERM;
	if (!err)
		return fd;
	close(fd);
	if (err != -ECONNREFUSED)
		return err;
	remove_dead(&a, &st); /* its tracer was killed */
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

int connect_to(pid_t pid, unsigned seconds, struct error *e)
{
	struct control_dirs dirs;
	int err = control_dirs_find(&dirs, e), fd = -ENOENT;

	if (err)
		return err;
	for (size_t i = 0; i < dirs.n && fd == -ENOENT; i++)
		fd = connect_in(dirs.path[i], pid, clock_now_ms() + seconds * INT64_C(1000));
	if (fd >= 0)
		return fd;
	if (fd == -EAGAIN)
		return connect_no_answer(pid, seconds, 0, e);
	if (fd != -ENOENT)
		return connect_cannot_talk(pid, fd, e);
	struct error last;
	return control_last_word(&pid, &last) ?
		       error_set(e, -ENOENT, "there is no session for process %d any more: the "
					     "last one %s", (int)pid,
				 last.text) :
		       error_set(e, -ENOENT, "there is no session for process %d; see mprof "
					     "status", (int)pid);
}

pid_t control_listener(pid_t pid)
{
	struct error ignored;
	pid_t by = 0;
	int fd = connect_to(pid, 1, &ignored);

	if (fd >= 0) {
		peer_is_ours(fd, &by);
		close(fd);
	}
	return fd >= 0 || fd == -ETIMEDOUT ? by : -1;
}

bool control_is_there(pid_t pid)
{
	return control_listener(pid) >= 0;
}
