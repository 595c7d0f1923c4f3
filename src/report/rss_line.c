/* SPDX-License-Identifier: BSD-2-Clause */
/* Resident memory in one line: why it is more than the tables add up to. */
#include "report/rss.h"

#include <inttypes.h>

static uint64_t left_from_before(const struct pd_before *b)
{
	return b->bytes - b->freed_bytes - b->missed_bytes;
}

bool report_rss_line(const struct profile_data *d, FILE *out)
{
	uint64_t sums[N_RSS_KINDS + 1] = {0}, all = 0;

	for (size_t i = 0; i < d->n_rss; i++) {
		sums[report_rss_kind(d->rss[i].name)] += d->rss[i].rss;
		all += d->rss[i].rss;
	}
	if (!all)
		return false;
	uint64_t live = sums[RSS_LIVE], free = sums[RSS_FREE] + sums[RSS_TOP],
		 own = sums[RSS_HEADERS] + sums[RSS_OWN], whole = sums[RSS_HEAP_WHOLE];

	fprintf(out, "resident: %" PRIu64 " bytes = ", all);
	if (live || free || own) {
		fprintf(out, "live blocks %" PRIu64, live);
		if (d->before.how == BEFORE_WALKED)
			fprintf(out, " (from before the attach: %" PRIu64 " usable)",
				left_from_before(&d->before));
		fprintf(out, " + free in the allocator %" PRIu64, free);
		fprintf(out, " + headers and the allocator's own %" PRIu64, own);
	} else if (whole) {
		fprintf(out, "a heap whose allocator is not known %" PRIu64, whole);
	} else {
		fprintf(out, "no heap of glibc's");
	}
	fprintf(out, " + not explained by the heap %" PRIu64 "\n", all - live - free - own - whole);
	return true;
}
