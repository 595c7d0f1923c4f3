/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_RSS_H
#define MPROF_HEAPWALK_RSS_H

#include "heapwalk/resident.h"
#include "heapwalk/walk.h"
#include "proc/smaps.h"
#include "still/still.h"

/*
 * Resident memory by purpose. Every byte is in one row: for each mapping the sum of the rows is
 * what the kernel says.
 */

enum rss_kind {
	RSS_LIVE,    /* usable bytes of blocks */
	RSS_HEADERS, /* headers in front of blocks */
	RSS_FREE,    /* in thread caches and bins */
	RSS_TOP,
	RSS_OWN,	   /* the allocator's own data */
	RSS_NOT_EXPLAINED, /* other parts of the allocator's areas */
	RSS_HEAP_WHOLE,	   /* [heap], if the allocator is not known */
	RSS_STACK,
	RSS_BELOW_STACK,
	RSS_CODE,
	RSS_FILE_READ,
	RSS_FILE_WRITTEN,
	RSS_BSS,
	RSS_FILE_SHARED,
	RSS_SHARED,
	RSS_ANON,
	RSS_KERNEL,
	N_RSS_KINDS
};

struct rss_row {
	enum rss_kind kind;
	char *name; /* of the file, or the anonymous mapping; "": all of its kind */
	uint64_t rss, pss;
};

struct rss {
	struct rss_row *rows;
	size_t n, cap;
	uint64_t total, pss; /* of all mappings, as the kernel says */
	uint64_t swap, hugetlb;
	uint64_t zeros_within; /* bytes that may be zero pages, and were taken out of rows */
	uint64_t sparse_pages; /* pages with live bytes, but less than a tenth of the page */
};

/* What is known about a process while it is held. */
struct rss_facts {
	const struct still *still;
	const struct heap_walk *walk; /* NULL: its allocator is not known */
	struct resident *resident;    /* of private writable memory */
	bool modules;		      /* a row for each file */
};

/* Divide resident memory, by the text of smaps. 0 or -errno. */
int rss_divide(struct rss *r, const struct rss_facts *f, const char *smaps);

void rss_release(struct rss *r);

#endif
