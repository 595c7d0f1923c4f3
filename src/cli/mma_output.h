/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MMA_OUTPUT_H
#define MPROF_CLI_MMA_OUTPUT_H

#include "cli/cli.h"
#include "session/session.h"
#include "mma/stats.h"

/* MMA's outputs of a session: --mma-log-file, --mma-stats-file. */
struct mma_output;

/* An output of the session, if the options want one; *out is NULL if not. 0 or -errno. */
int mma_output_new(struct mma_output **out, struct session *s, const struct options *o);
void mma_output_free(struct mma_output *m);

/* Write what the logs hold back: somebody may want to look. What fails is told at the end. */
void mma_output_flush(struct mma_output *m);

/* The statistics up to now. */
struct mma_stats mma_output_stats(const struct mma_output *m, uint64_t now_ns);

#endif
