/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/control_dir.h"
#include "control/entry_name.h"
#include "control/notes.h"
#include "control/peer.h"
#include "proc/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20 };	/* bytes; a line for each process */

static int64_t now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000);
}

static bool is_stopped(const struct control_patience *p)
{
	return p->stop && *p->stop;
}

/* Wait until there is something to read, which is not too late if it is there already. 0 or
 * -errno. */
static int await_bytes(int fd, int64_t until, const struct control_patience *p)
{
	enum { MOMENT_MS = 100 };	/* in case the signal comes just before poll() */
	struct pollfd f = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left = is_stopped(p) ? 0 : until - now_ms();

		left = p->stop && left > MOMENT_MS ? MOMENT_MS : left;
		int ready = poll(&f, 1, left > 0 ? (int)left : 0);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready == 0 && is_stopped(p))
			return -EINTR;
		if (ready == 0 && now_ms() >= until)
			return -ETIMEDOUT;
	}
}

/* Read all that the session sends until it closes the connection. Returns the length, or -errno;
 * *answer is the caller's to free(). */
static ssize_t read_answer(int fd, char **answer, int64_t until, const struct control_patience *p)
{
	size_t n = 0, cap = 0;

	*answer = NULL;
	while (n < ANSWER_MAX) {
		int err = await_bytes(fd, until, p);

		if (err)
			return err;
		if (ARRAY_RESERVE(answer, &cap, n + 1))
			return -ENOMEM;
		ssize_t got = read(fd, *answer + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			(*answer)[n] = '\0';
			return (ssize_t)n;
		}
		n += (size_t)got;
	}
	return -EFBIG;
}

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

/* @by: the process that should answer; 0: unknown */
static int no_answer(pid_t pid, unsigned seconds, pid_t by, struct error *e)
{
	struct error stopped = {""};

	if (by > 0 && has_stopped(by))
		error_set(&stopped, 0, ": process %d, which traces it, is stopped; kill -CONT %d "
				       "lets it go on", (int)by, (int)by);
	return error_set(e, -ETIMEDOUT,
			 "the session of process %d has not answered for %u seconds%s", (int)pid,
			 seconds, stopped.text);
}

static int cannot_talk(pid_t pid, int err, struct error *e)
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
	int64_t left = until - now_ms();
	struct timeval patience = { left / 1000, left % 1000 * 1000 };

	if (left > 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	else /* a timeout of 0 would mean none */
		fcntl(fd, F_SETFL, O_NONBLOCK);
	int err = connect(fd, (const struct sockaddr *)a, sizeof *a) ? -errno : 0;
	fcntl(fd, F_SETFL, 0);
	return err;
}

/* A connection, or -errno: -ENOENT, there is no socket of a session. Programs of this user can
 * create files in our directory, too: anything but a socket counts as none, and so does a symbolic
 * link, which would lead elsewhere. */
static int connect_in(const char *dir, pid_t pid, int64_t until)
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

static int connect_to(pid_t pid, unsigned seconds, struct error *e)
{
	struct control_dirs dirs;
	int err = control_dirs_find(&dirs, e), fd = -ENOENT;

	if (err)
		return err;
	for (size_t i = 0; i < dirs.n && fd == -ENOENT; i++)
		fd = connect_in(dirs.path[i], pid, now_ms() + seconds * INT64_C(1000));
	if (fd >= 0)
		return fd;
	if (fd == -EAGAIN)
		return no_answer(pid, seconds, 0, e);
	if (fd != -ENOENT)
		return cannot_talk(pid, fd, e);
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

/* A command that has been sent. */
struct sent {
	pid_t pid;
	unsigned version;
	struct control_patience patience;
	int fd;
	int unsent;		/* -errno: not all of it could be sent */
	int64_t until;
};

/* Connect and send. 0, or -errno with a sentence. */
static int send_command(struct sent *q, pid_t pid, unsigned version, enum control_form form,
			const char *words, const struct control_patience *p, struct error *e)
{
	char *line = control_request_make(version, form, words);

	if (!line) {
		error_set(e, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	*q = (struct sent){ .pid = pid, .version = version, .patience = *p };
	q->fd = connect_to(pid, p->seconds, e);
	if (q->fd >= 0) {
		/* A session that ends closes without reading our line: its answer may be there
		 * already. */
		q->unsent = send(q->fd, line, strlen(line), MSG_NOSIGNAL) < 0 ? -errno : 0;
		q->until = now_ms() + p->seconds * 1000;
	}
	free(line);
	return q->fd < 0 ? q->fd : 0;
}

/* Read the answer; a->reply may be of any kind. 0, or -errno with a sentence. */
static int take_answer(const struct sent *q, struct control_answer *a, struct error *e)
{
	ssize_t n = read_answer(q->fd, &a->bytes, q->until, &q->patience);
	int err = n < 0 ? (int)n : control_reply_parse(&a->reply, q->version, a->bytes, (size_t)n);

	a->fd = q->fd;
	if (err == -ETIMEDOUT) {
		pid_t by = 0;

		peer_is_ours(q->fd, &by);
		return no_answer(q->pid, q->patience.seconds, by, e);
	}
	if (err == -EINTR)
		return error_set(e, err, "the session of process %d had not answered when it was "
					 "not waited for any longer", (int)q->pid);
	if (err)
		return cannot_talk(q->pid, err, e);
	return q->unsent && a->reply.kind != CONTROL_REPLY_ENDED ?
		       cannot_talk(q->pid, q->unsent, e) :
		       0;
}

/* Send and take the answer of one session. */
static int ask_in(unsigned version, pid_t pid, enum control_form form, const char *words,
		  const struct control_patience *p, struct control_answer *a, struct error *e)
{
	struct sent q;
	int err = send_command(&q, pid, version, form, words, p, e);

	return err ? err : take_answer(&q, a, e);
}

/* Returns 0 if the answer is complete, otherwise -errno with a sentence. */
static int judge(pid_t pid, const struct control_answer *a, struct error *e)
{
	switch (a->reply.kind) {
	case CONTROL_REPLY_WHOLE:
		return 0;
	case CONTROL_REPLY_ENDED:
		return error_set(e, -ECONNRESET, "the session of process %d has just "
						 "ended", (int)pid);
	case CONTROL_REPLY_OLD:
		return error_set(e, -EPROTONOSUPPORT, "the session of process %d belongs to an "
						      "older mprof, which does "
				 "not answer as JSON: use the same version", (int)pid);
	case CONTROL_REPLY_NEW:
		return error_set(e, -EPROTONOSUPPORT, "the session of process %d belongs to a "
						      "newer mprof: use the same "
				 "version", (int)pid);
	case CONTROL_REPLY_NONE:
	case CONTROL_REPLY_CUT:
		break;
	}
	const char *when = a->reply.kind == CONTROL_REPLY_NONE ? "without an answer"
							       : "in the middle of its answer";

	/* The one that did not answer may have been a child of the session. */
	if (control_is_there(pid))
		return error_set(e, -EPROTO, "process %d: who was to answer ended %s; the session "
					     "goes on", (int)pid, when);
	return error_set(e, -EPROTO, "process %d: the session ended %s", (int)pid, when);
}

int control_ask(pid_t pid, enum control_form form, const char *words, unsigned seconds,
		struct control_answer *a, struct error *e)
{
	return control_ask_until(pid, form, words, &(struct control_patience){ seconds, NULL }, a,
				 e);
}

int control_ask_until(pid_t pid, enum control_form form, const char *words,
		      const struct control_patience *p, struct control_answer *a, struct error *e)
{
	*a = (struct control_answer){ 0 };
	int err = ask_in(CONTROL_VERSION, pid, form, words, p, a, e);

	if (!err && a->reply.kind == CONTROL_REPLY_OLD && form == CONTROL_TEXT) {
		control_answer_release(a);
		err = ask_in(1, pid, form, words, p, a, e);
	}
	if (!err)
		err = judge(pid, a, e);
	if (err)
		control_answer_release(a);
	return err;
}

int control_ask_all(struct control_asked *asked, size_t n, const char *words, unsigned seconds)
{
	const struct control_patience p = { seconds, NULL };
	struct sent *sent = calloc(n + 1, sizeof *sent);

	if (!sent)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		asked[i].answer = (struct control_answer){ 0 };
		asked[i].err = send_command(&sent[i], asked[i].pid, CONTROL_VERSION, CONTROL_JSON,
					    words, &p, &asked[i].error);
	}
	for (size_t i = 0; i < n; i++) {
		struct control_asked *a = &asked[i];

		if (!a->err)
			a->err = take_answer(&sent[i], &a->answer, &a->error);
		if (!a->err)
			a->err = judge(a->pid, &a->answer, &a->error);
		if (a->err)
			control_answer_release(&a->answer);
	}
	free(sent);
	return 0;
}

void control_answer_release(struct control_answer *a)
{
	free(a->reply.parts);
	free(a->bytes);
	if (a->fd > 0)
		close(a->fd);
	*a = (struct control_answer){ 0 };
}

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

/* True if the socket is our own: a session that asks all sessions would wait for its own answer. */
static bool is_own(int fd)
{
	pid_t by;

	return peer_is_ours(fd, &by) && by == getpid();
}

/* Add the sessions of others in @dir. @until bounds the time for all of them that do not accept. */
static void sessions_in(const char *dir, int64_t until, pid_t **pids, size_t *n, size_t *cap)
{
	DIR *d = opendir(dir);

	for (struct dirent *entry; d && (entry = readdir(d));) {
		pid_t pid;

		if (!entry_name_is(entry->d_name, "sock", &pid))
			continue;
		int fd = connect_in(dir, pid, until);
		if (fd < 0)
			continue;
		bool own = is_own(fd);
		close(fd);
		if (own)
			continue;
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
	if (err < 0)
		return err;
	for (size_t i = 0; i < dirs.n; i++)
		sessions_in(dirs.path[i], now_ms() + 1000, pids, &n, &cap);
	if (n)
		qsort(*pids, n, sizeof **pids, compare_pids);
	return (ssize_t)n;
}

/* True if the session answers "ok". */
static bool affirms(pid_t session, const char *words, unsigned seconds)
{
	struct control_answer a;
	struct error ignored;
	bool yes = !control_ask(session, CONTROL_TEXT, words, seconds, &a, &ignored) &&
		   a.reply.parts[0].ok;

	control_answer_release(&a);
	return yes;
}

/* The process whose session answers "ok"; 0: none. Waits for all together hardly longer than for
 * one. */
static pid_t find_affirming(const char *words, unsigned seconds)
{
	const int64_t until = now_ms() + seconds * INT64_C(1000);
	pid_t *pids, found = 0;
	struct error e;
	ssize_t n = control_sessions(&pids, &e);

	for (ssize_t i = 0; pids && i < n && !found; i++) {
		int64_t left = until - now_ms();

		if (affirms(pids[i], words, left > 1000 ? (unsigned)(left / 1000) : 1))
			found = pids[i];
		if (left <= 0)
			break;
	}
	free(pids);
	return found;
}

pid_t control_tracing(pid_t pid)
{
	char words[32];

	snprintf(words, sizeof words, "traces %d", (int)pid);
	return find_affirming(words, CONTROL_ANSWER_SECONDS);
}

/* False: the name is too long or has a newline, and cannot be asked for. */
static bool ask_for_file(char words[CONTROL_WORDS_MAX], const char *file)
{
	int n = snprintf(words, CONTROL_WORDS_MAX, "writes %s", file);

	return n > 0 && n < CONTROL_WORDS_MAX - 1 && !strchr(file, '\n');
}

bool control_writes(pid_t pid, const char *file)
{
	char words[CONTROL_WORDS_MAX];

	return ask_for_file(words, file) && affirms(pid, words, CONTROL_LOOK_SECONDS);
}

pid_t control_writing(const char *file)
{
	char words[CONTROL_WORDS_MAX];

	return ask_for_file(words, file) ? find_affirming(words, CONTROL_LOOK_SECONDS) : 0;
}
