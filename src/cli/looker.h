/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOKER_H
#define MPROF_CLI_LOOKER_H

#include "still/hold.h"
#include "still/orders.h"

#include <sys/types.h>

/*
 * A process beside the session that looks at a program which the session traces: who traces does
 * not parse what a program's memory says. It asks the session to stop the program, see
 * still/orders.h.
 */
struct looker {
	pid_t pid; /* 0: there is none */
	int fd;
};

struct serve;

/**
 * Begin one, which calls @look and ends with what that returns; @ctx is its own copy.
 * @holder  how it has the program stopped
 * Returns 0 or -errno.
 */
int looker_begin(struct looker *l, const struct serve *v,
		 int (*look)(void *ctx, struct still_holder *holder), void *ctx);

/* When it asks for something, that is told by SIGIO. */
void looker_watch(const struct looker *l);

/* It is not wanted any more, whatever it is at. */
void looker_end(struct looker *l);

/* In it: all that was to be seen has been seen. */
void looker_done(const struct still_holder *holder);

#endif
