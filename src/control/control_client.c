/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands to sessions, and their answers. */
#include "control/control.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/connect.h"
#include "control/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20 };	/* bytes; a line for each process */

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
		int64_t left = is_stopped(p) ? 0 : until - clock_now_ms();

		left = p->stop && left > MOMENT_MS ? MOMENT_MS : left;
		int ready = poll(&f, 1, left > 0 ? (int)left : 0);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready == 0 && is_stopped(p))
			return -EINTR;
		if (ready == 0 && clock_now_ms() >= until)
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
		q->until = clock_now_ms() + p->seconds * 1000;
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
		return connect_no_answer(q->pid, q->patience.seconds, by, e);
	}
	if (err == -EINTR)
		return error_set(e, err, "the session of process %d had not answered when it was "
					 "not waited for any longer", (int)q->pid);
	if (err)
		return connect_cannot_talk(q->pid, err, e);
	return q->unsent && a->reply.kind != CONTROL_REPLY_ENDED ?
		       connect_cannot_talk(q->pid, q->unsent, e) :
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

/* Replace an answer of an older mprof by what it says when it is asked in its own words. */
static int ask_again(pid_t pid, const char *words, const struct control_patience *p,
		     struct control_answer *a, struct error *e)
{
	struct control_answer old = *a;

	*a = (struct control_answer){ 0 };
	control_answer_release(&old);
	return ask_in(1, pid, CONTROL_TEXT, words, p, a, e);
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

	if (!err && a->reply.kind == CONTROL_REPLY_OLD && form == CONTROL_TEXT)
		err = ask_again(pid, words, p, a, e);
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
