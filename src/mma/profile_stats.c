/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/profile_stats.h"

struct mma_stats mma_stats_of_profile(const struct pd_load *load, const struct pd_totals *totals)
{
	return (struct mma_stats){
		.begun = load->begin_ns,
		.first_ns = load->begin_ns,
		.last_ns = load->end_ns,
		.load = totals->alloc_bytes - totals->free_bytes + load->missed_bytes,
		.load_max = load->max,
		.load_total = (mma_wide)load->total_high << 64 | load->total_low,
		.live_blocks = totals->allocs - totals->frees + load->missed,
		.events = {
			[MMA_FREE] = load->frees,
			[MMA_MALLOC] = load->mallocs,
			[MMA_CALLOC] = load->callocs,
			[MMA_REALLOC] = load->reallocs,
			[MMA_TMSTMP] = load->stamps,
		},
		.unknown_free = totals->unknown_frees + totals->before_frees +
				totals->paused_frees,
		.failed = totals->failed_allocs,
		.replaced = load->replaced,
	};
}
