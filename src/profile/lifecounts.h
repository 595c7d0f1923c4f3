/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIFECOUNTS_H
#define MPROF_PROFILE_LIFECOUNTS_H

#include "profile/profile_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Histograms of lifetimes, by the node of the call tree that allocated the blocks. They are large
 * and written at every free, so the counts of a node are neighbours in memory: a free touches three
 * cache lines, not one for each bucket.
 *
 * They take 80 bytes for a node with lifetimes, 4 bytes for one without, and 64 bytes for each
 * group of eight neighbouring buckets that are not all empty.
 */

enum { LIFE_LINE = 8, LIFE_LINES = 64 / LIFE_LINE };

struct life_line {
	uint64_t blocks[LIFE_LINE]; /* by the bucket's lower bits */
};

struct life_site {
	/* By axis and the bucket's upper bits: the line's number plus 1; 0: none yet. */
	uint32_t line[PD_LIFE_TEMPORARY][LIFE_LINES];
	uint64_t temporary;
	uint32_t node;
};

struct lifecounts {
	struct life_site *sites;
	size_t n_sites, cap_sites;
	uint32_t *site_of;	/* by node: its site's number plus 1; 0: none yet */
	size_t n_site_of;
	struct life_line *lines;
	size_t n_lines, cap_lines;
};

/* The position of lifecounts_next(); zero at the beginning. */
struct lifecounts_cursor {
	size_t site;
	unsigned bucket; /* numbered through all axes */
};

void lifecounts_release(struct lifecounts *c);

/* Count a freed block of @node; @events and @ns are buckets. 0, or -ENOMEM: it is not counted. */
int lifecounts_add(struct lifecounts *c, uint32_t node, uint8_t events, uint8_t ns, bool temporary);

/* Prefetch: a block of @node will be counted soon. */
void lifecounts_expect(const struct lifecounts *c, uint32_t node);

/* Add a bucket of another profile. 0 or -ENOMEM. */
int lifecounts_add_bucket(struct lifecounts *c, const struct pd_lifetime *l);

/* The next bucket that is not empty, in no particular order. False: there are no more. */
bool lifecounts_next(const struct lifecounts *c, struct lifecounts_cursor *at,
		     struct pd_lifetime *out);

/* Nothing more will be counted. Nodes are renumbered: node i becomes @to[i]. */
void lifecounts_finish(struct lifecounts *c, const uint32_t *to);

/* Bytes of memory in use. */
size_t lifecounts_memory(const struct lifecounts *c);

#endif
