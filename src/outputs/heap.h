/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_HEAP_H
#define MPROF_OUTPUTS_HEAP_H

#include "outputs/outputs.h"

/*
 * The heap profiles of a session: connects its events with the recorders that write them.
 */

/* Make the output of the session, even if no profiles are wanted: programs may ask for them by
 * gperftools' functions or their equivalents in mprof.h. 0 or -errno. */
struct heap_output;
int heap_output_new(struct heap_output **out, struct outputs *all);
void heap_output_free(struct heap_output *h);

/**
 * Write a profile of an image on a client's request.
 * @reason  for people
 * @path    set to its name, for free()
 * Returns 0, -EINVAL (the image's heap profiler is not on), or -errno with a sentence in @e.
 */
int heap_output_dump(const struct heap_output *o, const struct image *i, const char *reason,
		     char **path, struct error *e);

#endif
