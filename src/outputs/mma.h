/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_MMA_H
#define MPROF_OUTPUTS_MMA_H

#include "mma/stats.h"
#include "outputs/outputs.h"

/* MMA's outputs of a session: event logs, and their statistics. */
struct mma_output;

/* Make the output of the session, if it is wanted; *out is NULL if not. 0 or -errno. */
int mma_output_new(struct mma_output **out, struct outputs *all);
void mma_output_free(struct mma_output *m);

/* Flush the logs, for a user who wants to read them. Errors are reported at the end. */
void mma_output_flush(struct mma_output *m);

/* The statistics up to now. */
struct mma_stats mma_output_stats(const struct mma_output *m, uint64_t now_ns);

#endif
