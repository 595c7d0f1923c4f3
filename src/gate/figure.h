/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_FIGURE_H
#define MPROF_GATE_FIGURE_H

#include "gate/condition.h"
#include "profile/profile_data.h"

/* What a condition is about in a profile: as much as can be known of it. */

/* Why it is not known exactly. */
enum gate_doubt {
	GATE_TRUNCATED = 1,  /* a function may be in what of a chain was not followed */
	GATE_NAMELESS = 2,   /* or be one that nothing names */
	GATE_UNCOUNTED = 4,  /* events could not be counted */
	GATE_DOUBTFUL = 8,   /* calls may have been the allocator's own */
	GATE_UNTRAPPED = 16, /* no allocator, or not all of it, was observed */
	GATE_NO_LOOK = 32,   /* nobody has looked for what is lost */
	GATE_NO_PEAK = 64,   /* what was live at the peak is not in the file */
	GATE_USABLE = 128,   /* what was lost is known in usable bytes, not in requested ones */
	GATE_PAUSED = 256,   /* in a pause nothing was seen */
	GATE_SPARED = 512,   /* it was not kept, to need less memory */
	GATE_NOWHERE = 1024, /* there is no such function */
};

struct gate_value {
	struct gate_bounds is;
	unsigned doubts; /* bits of enum gate_doubt; 0: it is known */
	bool met;	 /* some function has a name that the condition asks for */
};

/* Where the chains that end at a node belong. */
enum { GATE_IN = 1, GATE_IN_TRUNCATED = 2, GATE_IN_NAMELESS = 4 };

/**
 * For each node: is it in what the condition is about, or may it be?
 * Returns an array of bits for free(), or NULL: out of memory.
 */
uint8_t *gate_nodes(const struct profile_data *d, const struct gate_condition *c, bool *met);

/* What was counted at a node, of one figure. */
struct gate_count {
	uint32_t node;
	uint64_t value, blocks;
};

/* Count number @i, from 0 on, of a figure; false: that were all. What has none is 0. */
bool gate_count_at(const struct profile_data *d, enum gate_figure figure, size_t i,
		   struct gate_count *count);

/* Is it about what is kept, from which suppressions take out? */
bool gate_is_of_kept(enum gate_figure figure);

/* Is it without what the runtime keeps (profile/runtime.h)? */
bool gate_spares_runtime(enum gate_figure figure);

/**
 * @suppressed  by node, which suppression is for it, PD_NONE: none; NULL: there are none
 * Returns 0 or -ENOMEM.
 */
int gate_value_of(const struct profile_data *d, const struct gate_condition *c,
		  const uint32_t *suppressed, struct gate_value *v);

/* The doubts in words, as the end of a sentence. */
void gate_doubts_print(unsigned doubts, char *text, size_t size);

#endif
