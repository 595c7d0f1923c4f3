/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LOOKER_H
#define MPROF_CLI_LOOKER_H

#include "still/hold.h"
#include "still/orders.h"

#include <sys/types.h>

/*
 * A looker: a process beside the session that looks at a program which the session traces, since
 * the tracer does not parse what a program's memory contains. It asks the session to stop the
 * program, see still/orders.h.
 */
struct looker {
	pid_t pid; /* 0: none */
	int fd;
};

struct serve;

/* The body of a looker, which returns its exit status. @holder: by which it has the program
 * stopped. */
typedef int look_in_fn(void *ctx, struct still_holder *holder);

/**
 * Fork a looker that calls @look; it has a copy of @ctx. Returns 0 or -errno.
 */
int looker_begin(struct looker *l, const struct serve *v, look_in_fn *look, void *ctx);

/* The same; a request of the looker, or its end, is signalled by SIGIO. */
int looker_begin_watched(struct looker *l, const struct serve *v, look_in_fn *look, void *ctx);

/* End a looker, whatever it is doing. */
void looker_end(struct looker *l);

/* In the looker: it is done. */
void looker_done(const struct still_holder *holder);

#endif
