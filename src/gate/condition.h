/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_CONDITION_H
#define MPROF_GATE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What --fail-if says, "kept(make_widget)>0", "peak>+5%": parsed, and compared with figures. Pure
 * functions; nothing in here knows a profile. */

enum gate_figure {
	GATE_ALLOCS,
	GATE_FREES,
	GATE_BYTES,
	GATE_KEPT, /* bytes, without the runtime's */
	GATE_KEPT_BLOCKS,
	GATE_UNFREED, /* bytes */
	GATE_UNFREED_BLOCKS,
	GATE_PEAK, /* bytes */
	GATE_TEMPORARY,
	GATE_LOST, /* bytes */
	GATE_LOST_BLOCKS,
	GATE_POSSIBLE, /* bytes */
	GATE_POSSIBLE_BLOCKS,
	GATE_FIGURES,
};

/* A set of figures: bits 1 << enum gate_figure. */
#define GATE_OF_LOOKS                                                                              \
	(1u << GATE_LOST | 1u << GATE_LOST_BLOCKS | 1u << GATE_POSSIBLE |                          \
	 1u << GATE_POSSIBLE_BLOCKS)

enum gate_operator { GATE_MORE, GATE_AT_LEAST, GATE_LESS, GATE_AT_MOST, GATE_EQUAL };

/* How the value is meant. */
enum gate_measure {
	GATE_ABSOLUTE,
	GATE_GROWTH,  /* more than in the base by so much */
	GATE_PERCENT, /* the same, in thousandths of a percent of the base */
};

struct gate_condition {
	const char *text; /* as given; whoever gave it keeps it */
	enum gate_figure figure;
	char *site; /* a pattern for the name of a function, see shortname_matches(); NULL: of the
		       whole */
	enum gate_operator op;
	enum gate_measure measure;
	bool less; /* of growth: by so much less */
	uint64_t value;
};

/* A figure may not be known exactly: it is one of these. */
struct gate_bounds {
	uint64_t low, high; /* UINT64_MAX: nobody knows how much */
};

enum gate_outcome { GATE_PASSED, GATE_BROKEN, GATE_CANNOT_TELL };

/**
 * Read a condition, which gate_condition_release() frees.
 * 0; -EINVAL: it is none, and @c is zeroed; or -ENOMEM, the same.
 */
int gate_condition_parse(struct gate_condition *c, const char *text);
void gate_condition_release(struct gate_condition *c);

/* The figure's name, as in conditions; and its unit, "bytes" or "blocks". */
const char *gate_figure_name(enum gate_figure figure);
const char *gate_figure_unit(enum gate_figure figure, uint64_t n);

/* Does it hold, whichever of @now and, of growth, of @base is so? */
enum gate_outcome gate_condition_holds(const struct gate_condition *c, struct gate_bounds now,
				       struct gate_bounds base);

#endif
