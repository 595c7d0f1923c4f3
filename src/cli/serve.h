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

/* A look that a client has asked for. */
struct served_look {
	struct looker looker;
	pid_t pid; /* pid of the program */
	/* CLOCK_MONOTONIC, when it was last held: requests before that have no later times, those
	 * after it no earlier ones. */
	uint64_t held_ns;
	/* The same for the first time, if all copies since then belong to one look; otherwise as
	 * held_ns. */
	uint64_t since_ns;
	struct looker namer;
	struct requesters_files files; /* shared by the namer and the looker; not open: not used */
};

enum { SERVED_LOOKS = 4 };

/* A session and what serves it. */
struct serve {
	struct session *session;
	struct tracer *tracer;	/* owned by the session's observer */
	struct journal *journal;	/* the watchdog's */
	struct watch_shared *watched;
	const struct options *options;
	struct gate *gate;	/* conditions for the profiles */
	struct outputs outputs;
	struct page_parts *page; /* of @outputs, while the page is being made */
	char *desc;		/* of @outputs: the desc: line of a massif file */
	struct control *control;	/* NULL: it could not be opened */
	bool end_on_interrupt;		/* SIGINT and SIGQUIT end the session; otherwise they are
					   left to the program */
	struct control_asker waiting[16];	/* clients that wait for the end */
	size_t n_waiting;
	struct served_look looks[SERVED_LOOKS];
	struct {
		enum { LAST_NOT_BEGUN, LAST_GOES_ON, LAST_OVER } state;
		struct served_look look;
		struct image *image;	/* whose process is looked at */
		struct image *until;	/* those that began later are not looked at */
		struct last_told *told; /* shared with the looker, as is: */
		int marks;		/* a file */
		uint64_t end_ns;	/* CLOCK_MONOTONIC: wait no longer than this */
	} last;				/* last_look.h */
	uint64_t last_events, last_tick_ns; /* for events per second */
	enum {
		NOT_KEPT,
		KEPT_FIRST,	/* a profile could not be saved, and those who are told now did not
				   know */
		KEPT_AGAIN,
	} kept;
	bool given_up;			/* what is kept has been discarded */
	struct lacking lacking;		/* what the profiles lack */
	size_t lasting;			/* so many outputs cannot be written by another try */
};

/* The host of a served session; its owner is a struct serve. */
extern const struct session_host serve_host;

/**
 * Serve stops, control commands and timers until all programs have ended, a client or signal asks
 * for the end, or the time is over; then detach from the programs, write everything and answer the
 * waiting clients.
 * Returns 0, or -errno after printing what could not be written.
 */
int serve_session(struct serve *v);

/**
 * Open the control socket for the session of @pid. If that fails, a sentence is printed. False only
 * if the session cannot go on: the process has a session already, or the options require a socket.
 */
bool serve_open_control(struct serve *v, pid_t pid);

/* In a forked child: only the tracing process answers clients. */
void serve_leave_clients(void *control);

/* True if there is a status line. */
bool serve_has_status_line(const struct serve *v);

/**
 * Bind ourselves, and all threads of process @pid (0: none), to the processor on which it runs now.
 * The process can see this in its affinity, which is why only --wait=pin does it.
 * Returns 0, or -errno with a sentence in @e.
 */
int share_one_cpu(pid_t pid, struct error *e);

#endif
