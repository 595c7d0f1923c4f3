/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SESSION_H
#define MPROF_CLI_SESSION_H

#include "attach/tracer.h"
#include "breakpoints/watch.h"
#include "profile/profile.h"
#include "record/recorder.h"

/*
 * One run of the tracer: joins process control, breakpoints and counting, and keeps the profile of
 * each program image until the end.
 */

/* A program image: what one process did between two execs, or its start and its end. */
struct image {
	struct image *next;
	pid_t pid;
	unsigned number;	/* 0: the process's first image under observation */
	bool over;		/* another image of the process has followed */
	char **command;		/* its arguments, NULL-terminated */
	uint64_t started_ns, ended_ns;	/* CLOCK_REALTIME */
	struct profile *profile;
	struct recorder *recorders;	/* what is kept besides the profile */
	struct watch *watch;	/* NULL: no longer observed */
	uint32_t program;	/* module file number of the program, or NO_FILE */
	struct watch_counts counts;
	char *data;		/* what mprof_restart() named; NULL: as the options say */
	unsigned massif_nth;	/* its massif file is the process's first (1), second ... */
	bool massif_written;	/* somebody writes its massif file, or has written it */
	bool stopped;		/* by mprof_stop(): events are not counted */
	struct session *session;
};

struct massif_session;
struct options;

struct session {
	struct tracer *tracer;
	struct watch_shared shared;
	struct image *images;	/* in the order in which they began */
	struct image **last;
	bool trace_children;
	pid_t root;		/* the process that was launched */
	int root_status;	/* as waitpid gave it */
	bool root_ended;
	bool foreign;		/* the program is another user's */
	bool launched;		/* we have started it ourselves */
	const char *refused;	/* why the program cannot be profiled; NULL: it can */
	bool suspended;
	uint64_t autosave;	/* save after every so many allocations; 0: do not */
	/* Write the profile of an image now, beside the tracing. */
	void (*save)(struct session *s, struct image *i);
	/* The recorders that the options ask for, of an image that begins. 0 or -ENOMEM. */
	int (*record)(struct session *s, struct image *i);
	/* What was recorded of an image is about to be begun anew. */
	void (*restarts)(struct session *s, struct image *i);
	/* An image is over: its process has ended or has exec'ed. */
	void (*ended)(struct session *s, struct image *i);
	const struct options *options;	/* for record() */
	struct massif_session *massif;	/* NULL: no massif file is asked for */
	pid_t *savers;		/* processes that are writing */
	size_t n_savers, cap_savers;
};

/* @guard may be NULL. 0 or -ENOMEM. */
int session_init(struct session *s, bool trace_children, struct guard *guard);
void session_release(struct session *s);

/* Take the traps out of all programs but go on tracing them; put them back. */
void session_suspend(struct session *s);
void session_resume(struct session *s);

/* What the session sees at this moment. */
struct session_state {
	unsigned processes, tasks, modules;
	uint64_t allocs, frees, live_bytes;
	uint64_t lost;	/* events */
};

struct session_state session_state(struct session *s);

#endif
