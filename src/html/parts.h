/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_PARTS_H
#define MPROF_HTML_PARTS_H

#include "html/page.h"

/*
 * A page whose profiles come one after the other and are never all in memory: the blocks of each
 * are made when it is added, and kept in memory, since they are small compared with the profile,
 * and a file could be left behind.
 */
struct page_parts;

/**
 * Begin a page.
 * @o          as for page_write(); must outlive the page
 * @max_bytes  limit for all blocks together, except that the first profile is always in the page
 * Returns NULL: out of memory.
 */
struct page_parts *page_parts_new(const struct report_options *o, size_t max_bytes);
void page_parts_free(struct page_parts *p);

/**
 * Add a profile, which is not needed afterwards. If the blocks are too large then, the profiles
 * with the lowest peaks are removed, of equal ones the later, but never the first.
 * Returns 0, or -errno: it was not added.
 */
int page_parts_add(struct page_parts *p, struct profile_data *d);

/* Number of profiles in the page, and of those that were removed. */
size_t page_parts_count(const struct page_parts *p);
size_t page_parts_left_out(const struct page_parts *p);

/**
 * Write the page, of at least one profile.
 * @all  number of profiles that it should have; the page says how many are missing
 * Returns as page_write().
 */
int page_parts_write(const struct page_parts *p, size_t all, const struct page_template *t,
		     FILE *out);

#endif
