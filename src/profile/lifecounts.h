/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_LIFECOUNTS_H
#define MPROF_PROFILE_LIFECOUNTS_H

#include "profile/profile_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Histograms of lifetimes, by the node of the call tree that allocated the blocks. It is written to
 * at every free, and large: what belongs to a node lies together, so that a free touches three
 * lines of the processor's cache and not one for each bucket.
 *
 * 80 bytes a node with lifetimes, 4 bytes a node without, and 64 bytes for each eight neighbouring
 * buckets of which one is not empty.
 */

enum { LIFE_LINE = 8, LIFE_LINES = 64 / LIFE_LINE };

struct life_line {
	uint64_t blocks[LIFE_LINE]; /* by the bucket's lower bits */
};

struct life_site {
	/* By axis and the bucket's upper bits: the number of its line, plus 1; 0: none yet. */
	uint32_t line[PD_LIFE_TEMPORARY][LIFE_LINES];
	uint64_t temporary;
	uint32_t node;
};

struct lifecounts {
	struct life_site *sites;
	size_t n_sites, cap_sites;
	uint32_t *site_of;	/* by node: its site, plus 1; 0: none yet */
	size_t n_site_of;
	struct life_line *lines;
	size_t n_lines, cap_lines;
};

/* Where to go on; begins with zeroes. */
struct lifecounts_cursor {
	size_t site;
	unsigned bucket; /* of all axes */
};

void lifecounts_release(struct lifecounts *c);

/* A block of @node has lived for so long, as buckets. 0, or -ENOMEM: it is not counted. */
int lifecounts_add(struct lifecounts *c, uint32_t node, uint8_t events, uint8_t ns, bool temporary);

/* A block of @node is to be counted soon. */
void lifecounts_expect(const struct lifecounts *c, uint32_t node);

/* Blocks that have been counted elsewhere. 0 or -ENOMEM. */
int lifecounts_add_bucket(struct lifecounts *c, const struct pd_lifetime *l);

/* The next bucket that is not empty, each once, in no order. False: there are no more. */
bool lifecounts_next(const struct lifecounts *c, struct lifecounts_cursor *at,
		     struct pd_lifetime *out);

/* No more will be counted, and nodes have other numbers: @to[node]. */
void lifecounts_finish(struct lifecounts *c, const uint32_t *to);

/* Bytes of memory. */
size_t lifecounts_memory(const struct lifecounts *c);

#endif
