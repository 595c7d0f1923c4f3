/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_CHOOSE_H
#define MPROF_SITETYPES_CHOOSE_H

#include "sitetypes/evidence.h"

/* What is left of the candidates when it is known how much was asked for. */
struct site_choice {
	uint32_t set;	   /* candidates: 1 << number; 0: nothing is known */
	bool certain;	   /* it is one, and all evidence was looked at */
	enum flow_how how; /* the strongest evidence for it */
};

/**
 * Of C++, what is neither of these sizes nor an array is only what the block begins with; and an
 * array of what has been seen by "this" or by reference may be. These are none.
 * @sizes  all that was asked for there, in bytes, @n of them
 * What has one of these sizes is preferred to all else; what is larger than a block is not in it,
 * unless there is nothing else; and what another one begins with is a part of that.
 */
struct site_choice site_choose(const struct site_evidence *e, const uint64_t *sizes, size_t n);

/* Is a block of each size a whole number of these, and more than one in any? */
bool site_is_array(const struct site_candidate *c, const uint64_t *sizes, size_t n);

#endif
