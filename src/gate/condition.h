/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_CONDITION_H
#define MPROF_GATE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A condition of --fail-if, "kept(make_widget)>0", "peak>+5%": parsed, and compared with figures.
 * Pure functions, without a profile. */

enum gate_figure {
	GATE_ALLOCS,
	GATE_FREES,
	GATE_BYTES,
	GATE_KEPT, /* bytes, without those of the runtime */
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

/* What the value is compared with. */
enum gate_measure {
	GATE_ABSOLUTE,
	GATE_GROWTH,  /* the increase over the base */
	GATE_PERCENT, /* the increase, in thousandths of a percent of the base */
};

struct gate_condition {
	const char *text; /* as given; owned by the caller */
	enum gate_figure figure;
	char *site; /* a pattern for a function's name, see shortname_matches(); NULL: the whole
		       program */
	enum gate_operator op;
	enum gate_measure measure;
	bool less; /* growth: a decrease */
	uint64_t value;
};

/* The range in which a figure is that is not known exactly. */
struct gate_bounds {
	uint64_t low, high; /* UINT64_MAX: not known */
};

enum gate_outcome { GATE_PASSED, GATE_BROKEN, GATE_CANNOT_TELL };

/**
 * Parse a condition; free it by gate_condition_release().
 * 0; or -EINVAL: it is malformed, or -ENOMEM: then @c is zeroed.
 */
int gate_condition_parse(struct gate_condition *c, const char *text);
void gate_condition_release(struct gate_condition *c);

/* The figure's name in conditions; and its unit, "bytes" or "blocks". */
const char *gate_figure_name(enum gate_figure figure);
const char *gate_figure_unit(enum gate_figure figure, uint64_t n);

/* Judge the condition for all values in the range of @now and, for growth, of @base. */
enum gate_outcome gate_condition_holds(const struct gate_condition *c, struct gate_bounds now,
				       struct gate_bounds base);

#endif
