/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_SESSION_H
#define MPROF_CLI_TOP_SESSION_H

#include "cli/options.h"
#include "proc/title.h"
#include "top/rows.h"

/*
 * The session that mprof top shows: one that runs already, or one of its own, begun by a copy of
 * itself, which ends with it.
 */
struct top_session {
	const struct options *options;
	pid_t pid;	/* of the process that is shown */
	pid_t session;	/* whose session it is in */
	pid_t attached; /* our copy that has attached; 0: the session is not ours */
	int process;	/* pidfd_open(2); -1: none */
	int said;	/* the file that it says things to */
	char name[TITLE_MAX];
	struct top_namer namer;
	struct top_look now, before; /* the last looks; data NULL: there was none */
	bool ending;		     /* it does not answer as it did: how it ends is awaited */
	uint64_t refused_ns;	     /* it refuses since then (CLOCK_MONOTONIC); 0: it does not */
	bool over;
	bool refused;	  /* it is over only for us: the session is there, and does not tell */
	bool older;	  /* there was a file where our own session puts its profile */
	struct error end; /* what became of it, when it is over */
};

/**
 * Join the session of the process, or attach to it.
 * Returns 0, and top_session_end() is to be called, or a status: a sentence has been printed.
 */
int top_session_begin(struct top_session *s, const struct options *o, pid_t pid);

enum top_answer {
	TOP_LOOKED,  /* s->now is new */
	TOP_NOT_NOW, /* nothing new is to be had, but may be soon */
	TOP_OVER,    /* nor will there be: s->end says why */
};

/* Look again; for rows of sizes at types, too, and for rows of threads at their names. */
enum top_answer top_session_look(struct top_session *s, enum top_by by);

/* Wait for so long, or until the process ends or a signal comes. Has it ended? */
bool top_session_wait(const struct top_session *s, int ms);

/* Have it save the profile. What came of it is put into @e. */
void top_session_save(const struct top_session *s, struct error *e);

/**
 * Leave a session of others as it is, unless @detach; end our own.
 * What became of the profile has been printed. Returns a status.
 */
int top_session_end(struct top_session *s, bool detach);

#endif
