/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_FILTER_H
#define MPROF_MASSIF_FILTER_H

#include "massif/entry.h"
#include "naming/allocfn.h"

#include <stddef.h>

/* What of a call stack makes a context. */
struct massif_filter {
	name_list alloc_fns, ignore_fns;	/* --alloc-fn, --ignore-fn */
	unsigned depth;		/* most frames that are kept, inlined functions not counted */
};

/**
 * Filter a stack: drop the allocation functions at its inner end, cut what lies below main, cut
 * what is too deep.
 * @entries  all there are     @ids  the stack's elements by number, innermost first; moved on over
 *           what is dropped   @n    how many there are; becomes how many are left
 * Returns false: what this stack allocates is ignored.
 * Source: Valgrind's manual, "Massif", --alloc-fn, --ignore-fn, --depth; ms_main.c's filter_IPs().
 */
bool massif_filter(const struct massif_filter *f, const struct massif_entry *entries,
		   const uint32_t **ids, size_t *n);

/*
 * What is known of a stack while its names are still being looked up, from the inner end outwards:
 * has enough been seen, so that what lies further out changes nothing?
 */
typedef bool massif_enough(const struct massif_filter *f, const struct massif_entry *entries,
			   const uint32_t *ids, size_t n);

/* ... of whether it is ignored. */
massif_enough massif_filter_decided;

/* ... of what the filter leaves of it. */
massif_enough massif_filter_complete;

#endif
