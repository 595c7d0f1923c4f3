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

/* What is asked of a look at a process. */
struct still_asked {
	pid_t pid;
	uint64_t max_pause_ns;
	bool sealed; /* as in struct still_files */
	/* It is held for its registers and stacks only: all else is copied while it runs, each page
	 * at another time. */
	bool running;
	bool may_run; /* whoever asks could do with that: --passes=2 */
	/* Who stops it, and lets it go, if that is traced already; NULL: one is begun. */
	struct still_holder *holder;
	bool copy_anyway; /* though that takes more than half of the memory there is */
	/* While it is held: is this a good moment? If not, it is let run for a millisecond, at most
	 * five times. */
	bool (*is_quiet)(void *ctx, const struct still_files *f);
	/* While it is held, and all is copied. 0 or -errno. */
	int (*held)(void *ctx, const struct still_files *f);
	void *ctx;
};

/* A still with what it lies in. */
struct still_taken {
	struct still still;
	struct still_room room;
	struct still_pause pause;
	uint64_t measured; /* bytes that there were to copy, before it was held */
	unsigned waits;	   /* so often the moment was not good */
};

/* What went wrong, when it was not the process that cannot be had. */
#define STILL_TOO_LONG	ETIME  /* it would have to be stopped for longer than is allowed */
#define STILL_TOO_LARGE ENOSPC /* the copy would take more memory than there is */

/**
 * Take a still. All that takes time is done while the program runs, but for the copying.
 * @t  empty, or an earlier still, whose room is used again
 * Returns 0, or -errno: with a sentence in @e, which is empty if the process cannot be had, for a
 * reason that the number says as that of tracer_attach() does.
 */
int still_take(struct still_taken *t, const struct still_asked *asked, struct error *e);

void still_taken_release(struct still_taken *t);

/* How long a program with so many bytes and tasks is expected to be stopped, if so many threads
 * copy: @copiers. */
uint64_t still_expected_ns(uint64_t bytes, uint64_t tasks, unsigned copiers);

/* How long one must be allowed to be stopped, of which so many bytes of @all were @copied in
 * @pause_ns: with a quarter more, for times differ. 0: that cannot be told. */
uint64_t still_needed_ns(uint64_t pause_ns, uint64_t copied, uint64_t all);

/* Is there room for a copy of so many bytes, where @available are? */
bool still_fits(uint64_t bytes, uint64_t available, bool anyway);

#endif
