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
	CONTROL_ANSWER_SECONDS = 30,	/* a client waits so long for an ordinary answer, ... */
	CONTROL_LOOK_SECONDS = 2,	/* ... and so long if it only asks which session there is */
};

/**
 * Open the socket for process @pid. Its readiness is signalled by SIGIO to this process, whose
 * handler must be installed before.
 * Returns 0 or -errno with a sentence in @e: -EADDRINUSE, the process has a session; after any
 * other error a session can go on without a socket. With 0 there is a sentence, too, if the socket
 * is not in the directory that is searched first, because that could not be trusted; otherwise the
 * text is empty.
 */
int control_open(pid_t pid, struct control **out, struct error *e);

/* Leave a note of what became of the session, for clients that ask when it is over: see notes.h. */
void control_leave_note(const struct control *c, const char *sentence);

/* Remove the socket: nobody can connect any more, and the process may get another session. Clients
 * that have connected by now are still served. */
void control_stop(struct control *c);

/* Close and remove it; clients that are still connected are told that the session has ended. NULL
 * is fine. */
void control_close(struct control *c);

/* Close it in a forked child that is not to answer: the socket's file stays. */
void control_drop(struct control *c);

/**
 * Take the next complete command; never waits. Clients that are too slow, say too much or belong to
 * another user are dropped. False: there is no complete command.
 */
bool control_next(struct control *c, struct control_request *out);

/* There may be more commands, which are left for later: raise SIGIO again. */
void control_again(void);

/* True if the process has a session whose socket accepts connections. */
bool control_is_there(pid_t pid);

/* The process that listens on the socket of @pid: the tracer of its session. 0: it has no pid in
 * our namespace; negative: nobody listens. */
pid_t control_listener(pid_t pid);

/* The process whose session traces @pid: itself, or one that it descends from. 0: there is none
 * that answers. */
pid_t control_tracing(pid_t pid);

/* control_writes(): true if the session of @pid writes @file, an absolute name. control_writing():
 * the process whose session does; 0: none says so in CONTROL_LOOK_SECONDS. */
bool control_writes(pid_t pid, const char *file);
pid_t control_writing(const char *file);

/* The note that the last session left: what became of it, as part of a sentence. False: there is
 * none. */
bool control_last_word(pid_t *pid, struct error *sentence);

/* The answer of a session: at least one part, all of them complete. */
struct control_answer {
	struct control_reply reply;
	char *bytes;	/* holds the texts of @reply */
	int fd;		/* the connection, open until the answer is released: a file in the
			   session's memory that the answer names stays there so long; 0: none */
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

/* How long to wait for an answer. */
struct control_patience {
	unsigned seconds;
	const volatile sig_atomic_t *stop;	/* stop waiting when a signal handler has set this;
						   NULL: do not check */
};

/* Like control_ask(); also -EINTR: *p->stop was set. */
int control_ask_until(pid_t pid, enum control_form form, const char *words,
		      const struct control_patience *p, struct control_answer *a, struct error *e);
void control_answer_release(struct control_answer *a);

struct control_asked {
	pid_t pid;		/* set by the caller */
	int err;		/* as returned by control_ask() */
	struct control_answer answer;	/* to be released by the caller */
	struct error error;
};

/* Ask several sessions at once for JSON; @seconds is for all together. 0, or -ENOMEM: none has been
 * asked. */
int control_ask_all(struct control_asked *asked, size_t n, const char *words, unsigned seconds);

/**
 * The processes that have a session of another tracer than this process, sorted; sockets on which
 * nobody listens are removed.
 * Returns how many, or -errno; *pids is the caller's to free().
 */
ssize_t control_sessions(pid_t **pids, struct error *e);

#endif
