/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_BEFORE_H
#define MPROF_CLI_BEFORE_H

#include "cli/looker.h"
#include "cli/serve.h"

/* What a process that is attached to had on its heap before: attach --before. */
struct before_look {
	struct serve *serve;
	pid_t pid; /* whose heap is looked at */
	struct looker looker;
	struct before_told *told; /* shared with whoever looks */
	int blocks;		  /* a file without a name, with the blocks */
	uint64_t stopped_ns;	  /* since when the program is stopped; 0: it is not yet */
	uint64_t held_ns;	  /* for so long it was stopped for this in all */
	bool ready, done;	  /* it has room for a copy; it has looked */
	const char *why;	  /* nothing is known, for this reason; NULL: for another */
};

/* Get ready for @pid, while it runs: it is looked at when it has been seized. Nothing happens
 * unless --before says so. */
void before_begin(struct before_look *b, struct serve *v, pid_t pid);

/* What has come of it is the image's, or the session's to release. It is said, if the process has
 * been attached to. */
void before_end(struct before_look *b, bool attached);

#endif
