/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_VERDICTS_H
#define MPROF_REPORT_VERDICTS_H

#include "profile/trend.h"
#include "report/leaks.h"

/* The verdict on a path: on the requests at all nodes where it ends, added up. */
struct trend_verdict leaks_verdict(const struct profile_data *d, const struct leaks *l,
				   const struct leak *p);

/* "LOST 20 of 24", or "LOST 20+3 of 24": three more are lost through others. @reach: by class;
 * @blocks: the kept blocks of a path. False: none of them is lost, and the verdict of its windows
 * should be shown. */
#define VERDICT_TEXT 96
bool verdict_lost_text(char out[VERDICT_TEXT], const struct pd_sum *reach, uint64_t blocks);

/* If lost blocks also grow, according to their windows, appends ", grows 1.2 MB/h, 900/h": bytes
 * and blocks. */
void verdict_append_growth(char text[VERDICT_TEXT], const struct trend_verdict *v);

/* "1.2 MB" */
#define VERDICT_BYTES 32
void verdict_bytes(char out[VERDICT_BYTES], double bytes);

/* "GROWS 1.2 MB/h, 1 % stays", "cached at 2000 blocks", "once" ...; @frees: how many of the blocks
 * have been freed. */
void verdict_text(char out[VERDICT_TEXT], const struct trend_verdict *v, uint64_t frees);

#endif
