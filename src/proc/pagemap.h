/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_PAGEMAP_H
#define MPROF_PROC_PAGEMAP_H

#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>

/* Which pages of a process are there: /proc/PID/pagemap, proc(5). */

/* Pages that follow each other and are alike. */
struct page_range {
	taddr start, end;
	bool swapped; /* not present */
	bool zero;    /* the kernel's page of zeros, which is nobody's; false, too, if an older
			 kernel does not tell */
	bool file;    /* as a file has it, or shared: nobody has written to a copy of his own */
};

/* What is done with each; anything but 0 ends the reading. */
typedef int page_range_fn(const struct page_range *r, void *ctx);

/**
 * The pages of [@start, @end) that are present or swapped, in order.
 * @fd  the open file     @zeros  if not NULL: does the kernel tell which are pages of zeros?
 * Holes cost nothing where the kernel has PAGEMAP_SCAN (Linux 6.7), else eight bytes a page.
 * Returns what @fn did if that is not 0, or -errno.
 */
int pagemap_each(int fd, taddr start, taddr end, bool *zeros, page_range_fn *fn, void *ctx);

/* From words of the file, @n of them, as kernels before 6.7 tell it; @start: the first one's page.
 * As above. */
int pagemap_each_word(const uint64_t *words, uint64_t n, taddr start, page_range_fn *fn, void *ctx);

/* Does the kernel behind this file pass over holes? */
bool pagemap_scans(int fd);

#endif
