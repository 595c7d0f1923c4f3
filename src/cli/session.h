/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_SESSION_H
#define MPROF_CLI_SESSION_H

#include "attach/tracer.h"
#include "breakpoints/watch.h"
#include "profile/profile.h"

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
	struct watch *watch;	/* NULL: no longer observed */
	uint32_t program;	/* module file number of the program, or NO_FILE */
	struct watch_counts counts;
};

struct session {
	struct tracer *tracer;
	struct watch_shared shared;
	struct image *images;	/* in the order in which they began */
	struct image **last;
	bool trace_children;
	pid_t root;		/* the process that was launched */
	int root_status;	/* as waitpid gave it */
	bool root_ended;
	const char *refused;	/* why the program cannot be profiled; NULL: it can */
};

/* 0 or -ENOMEM. */
int session_init(struct session *s, bool trace_children);
void session_release(struct session *s);

#endif
