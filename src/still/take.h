/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_TAKE_H
#define MPROF_STILL_TAKE_H

#include "base/error.h"
#include "still/copy.h"
#include "still/hold.h"
#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A request for a still. */
struct still_asked {
	pid_t pid;
	uint64_t max_pause_ns;
	bool sealed; /* as in struct still_files */
	/* Hold it only for its registers and stacks: the rest is copied while it runs, pages at
	 * different times. */
	bool running;
	bool may_run; /* the caller could use that: --passes=2 */
	/* The holder, if a session traces the process already; NULL: one is started. */
	struct still_holder *holder;
	bool copy_anyway; /* even if that takes more than half of the available memory */
	/* Called while it is held: is this a good moment? If not it may run for a millisecond, at
	 * most five times. */
	bool (*is_quiet)(void *ctx, const struct still_files *f);
	/* Called while it is held, when all is copied. 0 or -errno. */
	int (*held)(void *ctx, const struct still_files *f);
	void *ctx;
};

/* A still, and the room that its bytes are in. */
struct still_taken {
	struct still still;
	struct still_room room;
	struct still_pause pause;
	uint64_t measured; /* bytes to copy, measured before it was held */
	unsigned waits;	   /* how often the moment was not good */
};

/* Errors besides those of a process that cannot be attached to. */
#define STILL_TOO_LONG	ETIME  /* it would have to be stopped for longer than is allowed */
#define STILL_TOO_LARGE ENOSPC /* the copy would take more memory than there is */

/**
 * Take a still. Everything that takes time, except copying, is done while the program runs.
 * @t  empty, or an earlier still, whose room is used again
 * Returns 0, or -errno with a sentence in @e. That is empty if the process cannot be attached to:
 * then the number is as tracer_attach() returns it.
 */
int still_take(struct still_taken *t, const struct still_asked *asked, struct error *e);

void still_taken_release(struct still_taken *t);

/* How long a program with @bytes and @tasks is expected to be stopped, in ns, if @copiers threads
 * copy. */
uint64_t still_expected_ns(uint64_t bytes, uint64_t tasks, unsigned copiers);

/* The --max-pause, in ns, for a program of which @copied bytes of @all were copied in @pause_ns,
 * plus a quarter, for times vary. 0: not known. */
uint64_t still_needed_ns(uint64_t pause_ns, uint64_t copied, uint64_t all);

/* Is there room for a copy of @bytes, if @available are free? @anyway: it may take more than
 * half. */
bool still_fits(uint64_t bytes, uint64_t available, bool anyway);

#endif
