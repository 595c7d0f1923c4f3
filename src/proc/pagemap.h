/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_PAGEMAP_H
#define MPROF_PROC_PAGEMAP_H

#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>

/* Which pages of a process are present or swapped: /proc/PID/pagemap, proc(5). */

/* Adjacent pages of the same kind. */
struct page_range {
	taddr start, end;
	bool swapped; /* not present */
	bool zero;    /* the kernel's zero page; false, too, if an older kernel does not report
			 that */
	bool file;    /* a page of a file, or shared: not a private copy */
};

/* Called with each range; anything but 0 ends the reading. */
typedef int page_range_fn(const struct page_range *r, void *ctx);

/**
 * Call @fn with the pages of [@start, @end) that are present or swapped, in order.
 * @fd     the open file
 * @zeros  if not NULL, set to whether the kernel reports zero pages
 * Holes cost nothing where the kernel has PAGEMAP_SCAN (Linux 6.7), else eight bytes a page.
 * Returns what @fn did if that is not 0, or -errno.
 */
int pagemap_each(int fd, taddr start, taddr end, bool *zeros, page_range_fn *fn, void *ctx);

/* The same with @n words of the file, for kernels before 6.7; @start: the address of the first
 * word's page. */
int pagemap_each_word(const uint64_t *words, uint64_t n, taddr start, page_range_fn *fn, void *ctx);

/* Does the kernel have PAGEMAP_SCAN, which skips holes? @fd: the open file. */
bool pagemap_scans(int fd);

#endif
