/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_CONTROL_H
#define MPROF_CONTROL_CONTROL_H

#include "base/error.h"
#include "control/protocol.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A session's control socket: a stream socket PID.sock in a directory that only its user can enter.
 * A client sends one line, gets an answer, and the connection is closed: see protocol.h.
 */
struct control;

enum {
	CONTROL_ANSWER_SECONDS = 30,	/* so long a client waits for what is quickly done, ... */
	CONTROL_LOOK_SECONDS = 2,	/* ... and so long if it only looks who is there */
};

/**
 * Open the socket for process @pid. Its readiness is told by SIGIO to this process, which
 * has to be handled by now.
 * Returns 0 or -errno with a sentence in @e: -EADDRINUSE, the process has a session; for anything
 * else a session may do without. With 0 there is a sentence, too, if it is not where it would be
 * looked for first, since that could not be trusted; else the text is empty.
 */
int control_open(pid_t pid, struct control **out, struct error *e);

/* Leave word of what became of the session, for who asks when it is over: see notes.h. */
void control_leave_note(const struct control *c, const char *sentence);

/* Remove the socket; nobody can connect any more, and the process may have another session. Who has
 * connected by now is still listened to. */
void control_stop(struct control *c);

/* Close and remove it; who is still connected is told that the session has ended. NULL is fine. */
void control_close(struct control *c);

/* The same in a forked child that is not to answer: the socket's file stays. */
void control_drop(struct control *c);

/**
 * Take the next complete command; never waits. Clients that are too slow, say too much or belong to
 * another user are dropped. False: none is there.
 */
bool control_next(struct control *c, struct control_request *out);

/* There may be more, which has been left for later: have it told by SIGIO once more. */
void control_again(void);

/* Has the process a session that answers? */
bool control_is_there(pid_t pid);

/* Who listens where the session of the process would: its tracer, 0 if that has no number here;
 * negative: nobody. */
pid_t control_listener(pid_t pid);

/* The process whose session traces @pid: itself, or one that it descends from; 0: there is none
 * that can be asked. */
pid_t control_tracing(pid_t pid);

/* Does the session of @pid write @file, an absolute name? The process whose session does; 0: none
 * says so in a short time. */
bool control_writes(pid_t pid, const char *file);
pid_t control_writing(const char *file);

/* There is no session: what became of the last one, as part of a sentence. False: nobody knows. */
bool control_last_word(pid_t *pid, struct error *sentence);

/* What a session has answered: one part at least, all of them whole. */
struct control_answer {
	struct control_reply reply;
	char *bytes;	/* what its texts are in */
	int fd;		/* the connection, open until it is released: what the answer tells of in
			   the session's memory stays there; 0: none */
};

/**
 * Be a client: send a command to the session of @pid and wait at most @seconds for the answer.
 * @words  "COMMAND [ARGUMENT]"
 * A session of an mprof that knew no versions is asked in its own words, if text is wanted.
 * Returns 0; or with a sentence in @e -ENOENT (no session), -ECONNRESET (it has ended without
 * having heard us), -ETIMEDOUT, -EPROTO (it has not answered, or not to the end), -EPROTONOSUPPORT
 * (of another version), or another -errno.
 */
int control_ask(pid_t pid, enum control_form form, const char *words, unsigned seconds,
		struct control_answer *a, struct error *e);

/* How long an answer is waited for. */
struct control_patience {
	unsigned seconds;
	const volatile sig_atomic_t *stop;	/* no longer than until a signal's handler has set
						   that; NULL: signals do not matter */
};

/* The same; also -EINTR: stopped. */
int control_ask_until(pid_t pid, enum control_form form, const char *words,
		      const struct control_patience *p, struct control_answer *a, struct error *e);
void control_answer_release(struct control_answer *a);

struct control_asked {
	pid_t pid;		/* to be set before */
	int err;		/* as control_ask() returns it */
	struct control_answer answer;	/* to be released */
	struct error error;
};

/* Ask several sessions at once for JSON; all together take @seconds at most. 0 or -ENOMEM: nobody
 * has been asked. */
int control_ask_all(struct control_asked *asked, size_t n, const char *words, unsigned seconds);

/**
 * The processes that have a session of another tracer than who asks, sorted; sockets nobody
 * listens on are removed.
 * Returns how many, or -errno; *pids is the caller's to free().
 */
ssize_t control_sessions(pid_t **pids, struct error *e);

#endif
