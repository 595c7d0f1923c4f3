/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_STATS_TEXT_H
#define MPROF_MMA_STATS_TEXT_H

#include "mma/stats.h"

#include <stdio.h>

/* Print statistics: a line for each or, if not humanized, all on one line. Errors are those of
 * @out. */
void mma_stats_print(const struct mma_stats *s, bool humanized, FILE *out);

/* Print them with the counters as a JSON object on one line. */
void mma_stats_json(const struct mma_stats *s, FILE *out);

#endif
