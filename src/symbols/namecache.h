/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMECACHE_H
#define MPROF_NAMECACHE_H

#include "symbols/internal.h"

/*
 * What was found out about a large file is kept for the next time, below $XDG_CACHE_HOME/mprof (or
 * ~/.cache/mprof), by build ID: all types with their sizes, and the frames at the addresses that
 * were looked up. Files with little DWARF are read again faster than this would be.
 *
 * An entry belongs to one mprof and one file that has the DWARF; of another it is stale, and made
 * anew. So is one that was cut or changed: it has a checksum, and every number in it is checked.
 */

/* Ask the cache about a module, once, before its first look-up. 0 (also if there is nothing) or
 * -ENOMEM. */
int namecache_load(struct symbols *s, uint32_t module);

struct cache_in;

/**
 * Take over what an entry says of a module, as far as it makes sense: its checksum may be right,
 * and whoever wrote it may have been taken over by a file. @in->bad: some of it made none.
 * Returns 0 or -ENOMEM.
 */
int namecache_take(struct symbols *s, uint32_t module, struct cache_in *in);

/* Whether it is worth it for this module, so that all its types should be found out. */
bool namecache_wanted(struct module *m);

/* Write what is new about all modules. Whatever goes wrong only costs the time another time. */
void namecache_save(struct symbols *s);

#endif
