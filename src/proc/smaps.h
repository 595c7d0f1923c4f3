/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_SMAPS_H
#define MPROF_PROC_SMAPS_H

#include "proc/maps.h"

/* What /proc/PID/smaps tells of a mapping, proc(5), in bytes. */
struct smap {
	struct proc_map map;
	uint64_t rss, pss;
	uint64_t anonymous; /* of rss: belongs to no file, or not any more */
	uint64_t swap, hugetlb;
};

/* What is done with each; anything but 0 ends the reading. */
typedef int smap_fn(const struct smap *m, void *ctx);

/* Every mapping of a text that was read from there, in order; smaps_rollup is one of a single
 * mapping. Returns what @fn did if that is not 0, or -errno. */
int smaps_each_in(const char *text, smap_fn *fn, void *ctx);

#endif
