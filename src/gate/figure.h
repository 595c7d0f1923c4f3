/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_FIGURE_H
#define MPROF_GATE_FIGURE_H

#include "gate/condition.h"
#include "profile/profile_data.h"

/* The figure of a condition in a profile, as far as it is known. */

/* Why it is not known exactly. */
enum gate_doubt {
	GATE_TRUNCATED = 1,  /* the function may be in the part of a chain that could not be
			        followed */
	GATE_NAMELESS = 2,   /* the function may be one without a name */
	GATE_UNCOUNTED = 4,  /* events could not be counted */
	GATE_DOUBTFUL = 8,   /* calls may have been nested calls of the allocator */
	GATE_UNTRAPPED = 16, /* the allocator was not, or not completely, observed */
	GATE_NO_LOOK = 32,   /* there was no look for lost blocks */
	GATE_NO_PEAK = 64,   /* the file does not have what was live at the peak */
	GATE_USABLE = 128,   /* known in usable bytes only, not in requested ones */
	GATE_PAUSED = 256,   /* nothing was observed during a pause */
	GATE_SPARED = 512,   /* not kept because of --max-memory */
	GATE_NOWHERE = 1024, /* there is no such function */
};

struct gate_value {
	struct gate_bounds is;
	unsigned doubts; /* bits of enum gate_doubt; 0: it is exact */
	bool met;	 /* a function matches the condition's name */
};

/* How the chains that end at a node belong to the condition's function. */
enum { GATE_IN = 1, GATE_IN_TRUNCATED = 2, GATE_IN_NAMELESS = 4 };

/**
 * For each node: whether its chains belong to the condition's function, or may belong to it.
 * @met  set if any function matches
 * Returns an array of those bits for free(), or NULL: out of memory.
 */
uint8_t *gate_nodes(const struct profile_data *d, const struct gate_condition *c, bool *met);

/* The value of one figure at a node. */
struct gate_count {
	uint32_t node;
	uint64_t value, blocks;
};

/* Item number @i (from 0) of a figure; false: there are no more. Items may have the value 0. */
bool gate_count_at(const struct profile_data *d, enum gate_figure figure, size_t i,
		   struct gate_count *count);

/* True if the figure is about kept blocks, to which suppressions apply. */
bool gate_is_of_kept(enum gate_figure figure);

/* True if the figure excludes what the runtime keeps (profile/runtime.h). */
bool gate_spares_runtime(enum gate_figure figure);

/**
 * The value of a condition's figure.
 * @suppressed  for each node the suppression that matches it, or PD_NONE; NULL: there are none
 * Returns 0 or -ENOMEM.
 */
int gate_value_of(const struct profile_data *d, const struct gate_condition *c,
		  const uint32_t *suppressed, struct gate_value *v);

/* The doubts in words, as the end of a sentence. */
void gate_doubts_print(unsigned doubts, char *text, size_t size);

#endif
