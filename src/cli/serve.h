/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SERVE_H
#define MPROF_CLI_SERVE_H

#include "breakpoints/trap_observer.h"
#include "cli/cli.h"
#include "control/control.h"
#include "session/session.h"
#include "session/supervise.h"

/* How a session is served. */
struct serve {
	struct session *session;
	struct tracer *tracer;	/* of the session's observer */
	const struct watch_shared *watched;
	const struct options *options;
	struct control *control;	/* NULL: none could be opened */
	bool end_on_interrupt;		/* SIGINT and SIGQUIT end the session, not the program
					   alone */
	struct control_asker waiting[16];	/* clients that wait for the end */
	size_t n_waiting;
	uint64_t started_ns;		/* CLOCK_MONOTONIC */
	uint64_t last_events, last_tick_ns; /* for events per second */
	bool names_read;		/* names have been looked up ahead of time */
	enum {
		NOT_KEPT,
		KEPT_FIRST,	/* a profile could not be saved, and who hears of it now did not
				   know */
		KEPT_AGAIN,
	} kept;
	bool given_up;			/* somebody does not want what is kept */
	size_t lasting;			/* so many outputs no other try can mend */
};

/**
 * Serve stops, control commands and timers until all programs have ended, somebody asks for the
 * end, or the time is over; then let the programs go, write what there is and answer who asked.
 * Returns 0, or -errno after printing what could not be written.
 */
int serve_session(struct serve *v);

/**
 * Have a control socket for the session of @pid. Without one it cannot be controlled, which is
 * said, and is no reason not to profile; it is one that the process has a session: then false, and
 * that is said.
 */
bool serve_open_control(struct serve *v, pid_t pid);

/* As many open files as we may have: each that is traced stays open until it has been named. Not
 * before a program is launched, which has the limit from us. */
void serve_raise_limit(void);

/**
 * Put ourselves, and all threads of process @pid (0: none), on the processor it runs on now. The
 * process can see this in its affinity, which is why only --wait=pin does it.
 * Returns 0, or -errno with a sentence in @e.
 */
int share_one_cpu(pid_t pid, struct error *e);

/* A copy of ourselves that writes while the tracing goes on; returns as fork(2). Its maker tells of
 * it with serve_forked(), also if there is none (@pid -1, errno says why). */
pid_t serve_fork(struct serve *v);
void serve_forked(struct serve *v, const struct image *i, pid_t pid);

#endif
