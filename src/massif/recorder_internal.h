/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_RECORDER_INTERNAL_H
#define MPROF_MASSIF_RECORDER_INTERNAL_H

/* Shared by the files of the recorder: recorder.c (its life, time, snapshots, contexts),
 * recorder_blocks.c, recorder_pages.c (pages and stacks). Not for other files. */

#include "massif/recorder.h"
#include "profile/live.h"

struct massif_recorder {
	struct recorder base;
	const struct massif_host *host;
	const struct profile *profile;
	pid_t pid;
	struct massif_names names;	/* zeroed until names are needed */
	struct icount instructions;
	struct stacks stacks;
	struct pages pages;
	uint64_t start_ns, now_ns;	/* CLOCK_MONOTONIC */
	struct massif_numbers now;
	struct massif_table table;
	struct massif_context *contexts;
	size_t n_contexts, cap_contexts;
	uint32_t *of_node;		/* by node: index of its context + 1; 0: none yet */
	size_t cap_of_node;
	/* Live blocks that are ignored although their context is not: after a realloc a block of an
	 * ignored context stays ignored, whichever context calls it. */
	struct live_table ignored;
	uint64_t lost;
};

/* Call the first after the numbers have changed, the second before the total decreases. */
void massif_try_ordinary(struct massif_recorder *r);
void massif_try_peak(struct massif_recorder *r);

/* The context of the chain that ends at a node. NULL: out of memory. */
struct massif_context *massif_context_at(struct massif_recorder *r, uint32_t node);

/* recorder_blocks.c */
void massif_count_blocks(struct massif_recorder *r, const struct alloc_event *e,
			 const struct block_change *c);

/* recorder_pages.c */
void massif_pages_begin(struct massif_recorder *r);
void massif_find_stack_growth(struct massif_recorder *r);
void massif_count_pages(struct massif_recorder *r, const struct page_event *e, uint32_t node);
/* The depth of all stacks together has changed. */
void massif_count_stacks(struct massif_recorder *r, int64_t change);

#endif
