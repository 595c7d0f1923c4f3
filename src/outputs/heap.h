/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_HEAP_H
#define MPROF_OUTPUTS_HEAP_H

#include "outputs/outputs.h"

/*
 * Heap profiles of a session: joins what happens in it with the recorders that write them.
 */

/* An output of the session, whatever is wanted: its programs may ask for profiles, too, by
 * gperftools' functions or those in mprof.h that stand for them. 0 or -errno. */
struct heap_output;
int heap_output_new(struct heap_output **out, struct outputs *all);
void heap_output_free(struct heap_output *h);

/**
 * Write a profile of an image for somebody who waits for the answer.
 * @reason  for people
 * @path    its name goes there, for free()
 * Returns 0, -EINVAL (it has no heap profiler that is on), or -errno with a sentence in @e.
 */
int heap_output_dump(const struct heap_output *o, const struct image *i, const char *reason,
		     char **path, struct error *e);

#endif
