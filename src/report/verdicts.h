/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_VERDICTS_H
#define MPROF_REPORT_VERDICTS_H

#include "profile/trend.h"
#include "report/leaks.h"

/* The verdict on a path: on what is requested at all the nodes that it ends at, added up. */
struct trend_verdict leaks_verdict(const struct profile_data *d, const struct leaks *l,
				   const struct leak *p);

/* "LOST 20 of 24", or "LOST 20+3 of 24": three more are lost through others; if some of a path's
 * @blocks are lost; @reach: by class. False: none of them is, and what its windows say is of
 * interest. */
#define VERDICT_TEXT 96
bool verdict_lost_text(char out[VERDICT_TEXT], const struct pd_sum *reach, uint64_t blocks);

/* What is lost also grows, if its windows say so: ", grows 1.2 MB/h, 900/h", bytes and blocks, is
 * put behind the text. */
void verdict_append_growth(char text[VERDICT_TEXT], const struct trend_verdict *v);

/* "1.2 MB" */
#define VERDICT_BYTES 32
void verdict_bytes(char out[VERDICT_BYTES], double bytes);

/* "GROWS 1.2 MB/h, 1 % stays", "cached at 2000 blocks", "once" ...; @frees: how many of the blocks
 * have been freed. */
void verdict_text(char out[VERDICT_TEXT], const struct trend_verdict *v, uint64_t frees);

#endif
