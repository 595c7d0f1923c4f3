/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SERVE_H
#define MPROF_CLI_SERVE_H

#include "breakpoints/trap_observer.h"
#include "cli/cli.h"
#include "cli/lacking.h"
#include "cli/requesters.h"
#include "control/control.h"
#include "gate/gate.h"
#include "outputs/outputs.h"
#include "session/session.h"
#include "session/supervise.h"

/* A look at one of its programs that somebody has asked for. */
struct served_look {
	struct looker looker;
	pid_t pid; /* of that program */
	/* CLOCK_MONOTONIC, when it was stopped last: what was requested until then is not later,
	 * and what is requested afterwards not earlier. */
	uint64_t held_ns;
	/* The same of the first time, if all that has been copied since then belongs to one look;
	 * else that of the last time. */
	uint64_t since_ns;
	struct looker namer;
	struct requesters_files files; /* what that and the looker share; not open: nothing */
};

enum { SERVED_LOOKS = 4 };

/* How a session is served. */
struct serve {
	struct session *session;
	struct tracer *tracer;	/* of the session's observer */
	struct journal *journal;	/* of who watches over us */
	struct watch_shared *watched;
	const struct options *options;
	struct gate *gate;	/* what the profiles are held against */
	struct outputs outputs;
	struct page_parts *page; /* theirs, while it is made */
	char *desc;		/* theirs: how a massif file was asked for */
	struct control *control;	/* NULL: none could be opened */
	bool end_on_interrupt;		/* SIGINT and SIGQUIT end the session, not the program
					   alone */
	struct control_asker waiting[16];	/* clients that wait for the end */
	size_t n_waiting;
	struct served_look looks[SERVED_LOOKS];
	struct {
		enum { LAST_NOT_BEGUN, LAST_GOES_ON, LAST_OVER } state;
		struct served_look look;
		struct image *image;	/* whose process is looked at */
		struct image *until;	/* those that begin later are not */
		struct last_told *told; /* shared with whoever looks, as this is: */
		int marks;		/* a file */
		uint64_t end_ns;	/* CLOCK_MONOTONIC: so long that is waited for */
	} last;				/* last_look.h */
	uint64_t last_events, last_tick_ns; /* for events per second */
	enum {
		NOT_KEPT,
		KEPT_FIRST,	/* a profile could not be saved, and who hears of it now did not
				   know */
		KEPT_AGAIN,
	} kept;
	bool given_up;			/* somebody does not want what is kept */
	struct lacking lacking;		/* what the profiles lack */
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
 * said, and is no reason not to profile, unless the options tell that it is needed; it is one that
 * the process has a session: then false, and that is said.
 */
bool serve_open_control(struct serve *v, pid_t pid);

/* In a forked copy of ourselves: whoever asks is answered by the tracing process alone. */
void serve_leave_clients(void *control);

/* Is there a line that shows how it goes? */
bool serve_has_status_line(const struct serve *v);

/**
 * Put ourselves, and all threads of process @pid (0: none), on the processor it runs on now. The
 * process can see this in its affinity, which is why only --wait=pin does it.
 * Returns 0, or -errno with a sentence in @e.
 */
int share_one_cpu(pid_t pid, struct error *e);

#endif
