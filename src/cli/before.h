/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_BEFORE_H
#define MPROF_CLI_BEFORE_H

#include "cli/looker.h"
#include "cli/serve.h"

/* attach --before: what a process has on its heap when it is attached to. */
struct before_look {
	struct serve *serve;
	pid_t pid; /* the process to look at */
	struct looker looker;
	struct before_told *told; /* shared with the looker */
	int blocks;		  /* an unnamed file with the blocks */
	uint64_t stopped_ns;	  /* when the program was stopped; 0: not yet */
	uint64_t held_ns;	  /* total time for which it was stopped for this */
	bool ready, done;	  /* the looker has room for a copy; it is done */
	const char *why;	  /* why nothing is known; NULL: see @told */
};

/* Prepare a looker for @pid while that runs: it looks when the process has been seized. Does
 * nothing without --before. */
void before_begin(struct before_look *b, struct serve *v, pid_t pid);

/* Store the result in the image, or in the session, which releases it. If the process is @attached,
 * also say it. */
void before_end(struct before_look *b, bool attached);

#endif
