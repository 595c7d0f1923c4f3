/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_FILTER_H
#define MPROF_MASSIF_FILTER_H

#include "massif/entry.h"
#include "naming/allocfn.h"

#include <stddef.h>

/* Options on which frames of a call stack make a context. */
struct massif_filter {
	name_list alloc_fns, ignore_fns;	/* --alloc-fn, --ignore-fn */
	unsigned depth;		/* most frames that are kept, not counting inlined functions */
};

/**
 * Filter a stack: drop allocation functions at its inner end, cut what is below main, and limit the
 * depth.
 * @entries  all entries     @ids  the stack's elements, by number, innermost first; advanced past
 *           those that are dropped   @n    their number; set to the number that is left
 * Returns false if allocations by this stack are ignored.
 * Source: Valgrind's manual, "Massif", --alloc-fn, --ignore-fn, --depth; ms_main.c's filter_IPs().
 */
bool massif_filter(const struct massif_filter *f, const struct massif_entry *entries,
		   const uint32_t **ids, size_t *n);

/*
 * Called with the @n innermost elements of a stack while the names of the others are still to be
 * looked up: true if the others make no difference ...
 */
typedef bool massif_enough(const struct massif_filter *f, const struct massif_entry *entries,
			   const uint32_t *ids, size_t n);

/* ... to whether the stack is ignored. */
massif_enough massif_filter_decided;

/* ... to what the filter leaves of it. */
massif_enough massif_filter_complete;

#endif
