/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SERVE_H
#define MPROF_CLI_SERVE_H

#include "breakpoints/trap_observer.h"
#include "cli/cli.h"
#include "control/control.h"
#include "outputs/outputs.h"
#include "session/session.h"
#include "session/supervise.h"

/* How a session is served. */
struct serve {
	struct session *session;
	struct tracer *tracer;	/* of the session's observer */
	struct watch_shared *watched;
	const struct options *options;
	struct outputs outputs;
	char *desc;		/* theirs: how a massif file was asked for */
	struct control *control;	/* NULL: none could be opened */
	bool end_on_interrupt;		/* SIGINT and SIGQUIT end the session, not the program
					   alone */
	struct control_asker waiting[16];	/* clients that wait for the end */
	size_t n_waiting;
	uint64_t last_events, last_tick_ns; /* for events per second */
	enum {
		NOT_KEPT,
		KEPT_FIRST,	/* a profile could not be saved, and who hears of it now did not
				   know */
		KEPT_AGAIN,
	} kept;
	bool given_up;			/* somebody does not want what is kept */
	size_t lasting;			/* so many outputs no other try can mend */
};

/* Whom a session that is served asks; its owner is the struct serve. */
extern const struct session_host serve_host;

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

/* Is there a line that shows how it goes? */
bool serve_has_status_line(const struct serve *v);

/**
 * Put ourselves, and all threads of process @pid (0: none), on the processor it runs on now. The
 * process can see this in its affinity, which is why only --wait=pin does it.
 * Returns 0, or -errno with a sentence in @e.
 */
int share_one_cpu(pid_t pid, struct error *e);

#endif
