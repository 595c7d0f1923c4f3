/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_RESIDENT_H
#define MPROF_HEAPWALK_RESIDENT_H

#include "proc/pagemap.h"

#include <stddef.h>

/* The pages of a process that count as resident: present, and not the kernel's page of zeros. */
struct resident {
	struct page_range *v; /* in order, not adjacent */
	size_t n, cap;
	bool zeros_known; /* the kernel tells which pages are zero pages */
	size_t last;	  /* the index of the last answer */
};

void resident_release(struct resident *r);

/* Add the next pages, in order: a page_range_fn, with a struct resident. 0 or -ENOMEM. */
int resident_add(const struct page_range *range, void *ctx);

/* How many bytes of [@start, @end) are resident. Fast if called with increasing addresses. */
uint64_t resident_bytes(struct resident *r, taddr start, taddr end);

#endif
