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

/* What one does; it ends with what this returns. @holder: how it has the program stopped. */
typedef int look_in_fn(void *ctx, struct still_holder *holder);

/**
 * Begin one, which calls @look and ends with what that returns; @ctx is its own copy.
 * Returns 0 or -errno.
 */
int looker_begin(struct looker *l, const struct serve *v, look_in_fn *look, void *ctx);

/* As looker_begin(); when it asks for something, or ends, that is told by SIGIO. */
int looker_begin_watched(struct looker *l, const struct serve *v, look_in_fn *look, void *ctx);

/* It is not wanted any more, whatever it is at. */
void looker_end(struct looker *l);

/* In it: all that was to be seen has been seen. */
void looker_done(const struct still_holder *holder);

#endif
