/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_PARTS_H
#define MPROF_HTML_PARTS_H

#include "html/page.h"

/*
 * A page whose profiles are there one after the other, and never all at once: of each the blocks
 * are made when it is added, and kept in memory, in which they take a small part of what the
 * profile does, and no file that anybody could leave behind.
 */
struct page_parts;

/**
 * @o          as for page_write(); outlives it
 * @max_bytes  so long all blocks may be together; the first profile is in the page however long
 *             it is
 * Returns NULL: out of memory.
 */
struct page_parts *page_parts_new(const struct report_options *o, size_t max_bytes);
void page_parts_free(struct page_parts *p);

/**
 * One more profile, which is not needed afterwards. If all are too long then, those with the lowest
 * peaks are left out, of equals the later ones, but not the first.
 * Returns 0, or -errno: it is not in the page.
 */
int page_parts_add(struct page_parts *p, struct profile_data *d);

/* How many are in the page, and how many have been left out of it. */
size_t page_parts_count(const struct page_parts *p);
size_t page_parts_left_out(const struct page_parts *p);

/**
 * Write the page, of at least one profile.
 * @all  so many it should have: how many are missing is in it
 * Returns as page_write().
 */
int page_parts_write(const struct page_parts *p, size_t all, const struct page_template *t,
		     FILE *out);

#endif
