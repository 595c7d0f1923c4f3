/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_CHOOSE_H
#define MPROF_SITETYPES_CHOOSE_H

#include "sitetypes/evidence.h"

/* The candidates that remain once the requested sizes are known. */
struct site_choice {
	uint32_t set;	   /* candidates: 1 << index; 0: nothing is known */
	bool certain;	   /* there is just one, and all evidence was found */
	enum flow_how how; /* the strongest evidence for any of them */
};

/**
 * Choose the candidates that fit the requested sizes. In C++, a type that has none of these sizes
 * and of which no array has them is only what the block begins with, and is excluded; so is an
 * array of a type seen only as "this" or by reference, as that may be a part of something larger.
 * Types with one of the sizes are preferred, then types that are no larger than a block, and then
 * the outermost: a type that another one begins with is a part of that.
 * @sizes  all sizes requested there, in bytes, @n of them
 */
struct site_choice site_choose(const struct site_evidence *e, const uint64_t *sizes, size_t n);

/* Are all blocks arrays of this type, and at least one of more than one element? Not of a type that
 * ends with an array itself, which may just be longer. */
bool site_is_array(const struct site_candidate *c, const uint64_t *sizes, size_t n);

#endif
