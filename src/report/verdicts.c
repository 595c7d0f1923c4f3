/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/verdicts.h"

#include "base/search.h"
#include "base/text.h"
#include "profile/pd_windows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct trend_verdict leaks_verdict(const struct profile_data *d, const struct leaks *l,
				   const struct leak *p)
{
	struct trend_series s = pd_windows_series(d);

	s.live = p->allocs - p->frees;
	s.live_bytes = p->bytes - p->freed;
	for (size_t i = SEARCH_FIRST(l->n_ends, k, l->ends[k].path >= p->id); i < l->n_ends; i++) {
		if (l->ends[i].path != p->id)
			break;
		pd_windows_add(d, l->ends[i].node, &s);
	}
	return trend_judge(&s);
}

bool verdict_lost_text(char out[VERDICT_TEXT], const struct pd_sum *reach, uint64_t blocks)
{
	uint64_t heads = reach[PD_LOST].blocks, through = reach[PD_LOST_THROUGH].blocks;

	if (!heads && !through)
		return false;
	int n = snprintf(out, VERDICT_TEXT, "LOST");

	if (!heads && through == blocks)
		/* The mistake is where the blocks that lead to these were requested. */
		snprintf(out + n, VERDICT_TEXT - (size_t)n, " through others");
	else if (through)
		n += snprintf(out + n, VERDICT_TEXT - (size_t)n, " %" PRIu64 "+%" PRIu64, heads,
			      through);
	else if (heads < blocks)
		n += snprintf(out + n, VERDICT_TEXT - (size_t)n, " %" PRIu64, heads);
	if (heads + through < blocks)
		snprintf(out + n, VERDICT_TEXT - (size_t)n, " of %" PRIu64, blocks);
	return true;
}

void verdict_bytes(char out[VERDICT_BYTES], double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	size_t unit = 0;

	for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
		bytes /= 1000;
	snprintf(out, VERDICT_BYTES, "%.*f %s", unit && bytes < 99.95, bytes, units[unit]);
}

void verdict_append_growth(char text[VERDICT_TEXT], const struct trend_verdict *v)
{
	size_t at = strlen(text);
	char rate[VERDICT_BYTES];

	if (v->name != TREND_GROWS || v->bytes_hour <= 0)
		return;
	verdict_bytes(rate, v->bytes_hour);
	at += (size_t)snprintf(text + at, VERDICT_TEXT - at, ", grows %s/h", rate);
	if (v->blocks_hour >= 0.5 && at < VERDICT_TEXT)
		snprintf(text + at, VERDICT_TEXT - at, ", %.0f/h", v->blocks_hour);
}

/* Blocks of which none was freed may be a cache that has not reached its bound. */
static void text_of_growth(char out[VERDICT_TEXT], const struct trend_verdict *v, uint64_t frees)
{
	int at = snprintf(out, VERDICT_TEXT, "GROWS");

	char rate[VERDICT_BYTES];

	if (v->bytes_hour > 0) {
		verdict_bytes(rate, v->bytes_hour);
		at += snprintf(out + at, VERDICT_TEXT - (size_t)at, " %s/h", rate);
	}
	char *end = out + at;
	size_t left = VERDICT_TEXT - (size_t)at;

	if (!frees)
		snprintf(end, left, " so far");
	else if (v->by_bytes)
		snprintf(end, left, ", in size");
	else if (v->stays >= 0.01)
		snprintf(end, left, ", %.0f %% stays", 100 * v->stays);
	else if (v->stays > 0)
		snprintf(end, left, ", under 1 %% stays");
}

void verdict_text(char out[VERDICT_TEXT], const struct trend_verdict *v, uint64_t frees)
{
	if (v->name == TREND_GROWS)
		text_of_growth(out, v, frees);
	else if (v->name == TREND_CACHED)
		snprintf(out, VERDICT_TEXT, "cached at %" PRIu64 " block%s", v->level,
			 text_plural(v->level));
	else
		snprintf(out, VERDICT_TEXT, "%s", trend_word(v->name));
}
