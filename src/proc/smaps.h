/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_SMAPS_H
#define MPROF_PROC_SMAPS_H

#include "proc/maps.h"

/* What /proc/PID/smaps says about a mapping, proc(5), in bytes. */
struct smap {
	struct proc_map map;
	uint64_t rss, pss;
	uint64_t anonymous; /* of rss: belongs to no file, or not any more */
	uint64_t swap, hugetlb;
};

/* Called with each mapping; anything but 0 ends the reading. */
typedef int smap_fn(const struct smap *m, void *ctx);

/* Call @fn with every mapping in the text of such a file, in order; that of smaps_rollup has a
 * single one. Returns what @fn did if that is not 0, or -errno. */
int smaps_each_in(const char *text, smap_fn *fn, void *ctx);

#endif
