/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_SESSION_H
#define MPROF_CLI_TOP_SESSION_H

#include "cli/options.h"
#include "proc/title.h"
#include "top/rows.h"

/*
 * The session that mprof top shows: an existing one, or one of its own, begun by a child, which
 * ends with mprof top.
 */
struct top_session {
	const struct options *options;
	pid_t pid;	/* the process that is shown */
	pid_t session;	/* the process whose session it is in */
	pid_t attached; /* the child that has attached; 0: the session is not ours */
	int process;	/* pidfd of the process; -1: none */
	int said;	/* the file with the session's messages */
	char name[TITLE_MAX];
	struct top_namer namer;
	struct top_look now, before; /* the last looks; data NULL: none */
	bool ending;		     /* it does not answer any more: wait for its end */
	uint64_t refused_ns;	     /* CLOCK_MONOTONIC since when it has refused; 0: it has not */
	bool over;
	bool refused;	  /* the session goes on, but gives us no more figures */
	bool older;	  /* our own session replaces an older profile */
	struct error end; /* how it ended */
};

/**
 * Join the session of the process, or attach to it.
 * Returns 0, and top_session_end() must be called, or a status: a sentence has been printed.
 */
int top_session_begin(struct top_session *s, const struct options *o, pid_t pid);

enum top_answer {
	TOP_LOOKED,  /* s->now is new */
	TOP_NOT_NOW, /* no new look now, but maybe soon */
	TOP_OVER,    /* there will be no more: s->end says why */
};

/* Take a new look; for rows by size with types, and for rows by thread with their names. */
enum top_answer top_session_look(struct top_session *s, enum top_by by);

/* Wait for @ms, or until the process ends or a signal arrives. True: the process has ended. */
bool top_session_wait(const struct top_session *s, int ms);

/* Have the session save the profile. *e: the result. */
void top_session_save(const struct top_session *s, struct error *e);

/**
 * End our own session; leave one of others alone, unless @detach. Says what became of the profile.
 * Returns a status.
 */
int top_session_end(struct top_session *s, bool detach);

#endif
