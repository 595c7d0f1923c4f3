/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MMA_OUTPUT_H
#define MPROF_CLI_MMA_OUTPUT_H

#include "cli/cli.h"
#include "session/session.h"
#include "mma/stats.h"

/* MMA's outputs of a session: --mma-log-file, --mma-stats-file. */
struct mma_output;

/* 0, or -ENOMEM. *out is NULL if the options want none. */
int mma_output_new(struct mma_output **out, const struct session *s, const struct options *o);
void mma_output_free(struct mma_output *m);

/* A recorder for an image that begins, in front of *@list. 0 or -ENOMEM. */
int mma_output_record(struct mma_output *m, struct image *i);

/* "suspended" ... as the session goes on. */
void mma_output_progress(const struct mma_output *m, const char *what);

/* Write what the logs hold back: somebody may want to look. What fails is told at the end. */
void mma_output_flush(struct mma_output *m);

/* The statistics up to now. */
struct mma_stats mma_output_stats(const struct mma_output *m, uint64_t now_ns);

/* No process is watched from @now_ns on. */
void mma_output_end(struct mma_output *m, uint64_t now_ns);

/* Finish the logs and write the statistics. 0, or -errno after printing what could not be
 * written. */
int mma_output_write(struct mma_output *m);

#endif
