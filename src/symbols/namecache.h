/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMECACHE_H
#define MPROF_NAMECACHE_H

#include "symbols/internal.h"

/*
 * A cache of what was found out about large files, below $XDG_CACHE_HOME/mprof (or
 * ~/.cache/mprof), by build ID: all types with their sizes, and the frames at the addresses that
 * were looked up. Files with little DWARF are read again faster than their entry would be.
 *
 * An entry is valid for one mprof and one file with DWARF; with any other it is stale, and made
 * anew. So is a truncated or changed one: it has a checksum, and every number in it is checked.
 */

/* Read the cache for a module, once, before its first look-up. 0 (also if there is no entry) or
 * -ENOMEM. */
int namecache_load(struct symbols *s, uint32_t module);

struct cache_in;

/**
 * Take over the valid parts of an entry into a module. Its checksum proves nothing: a file may have
 * taken over the process that wrote it. @in->bad: some of it was invalid.
 * Returns 0 or -ENOMEM.
 */
int namecache_take(struct symbols *s, uint32_t module, struct cache_in *in);

/* Is the module worth an entry, so that all its types should be read? */
bool namecache_wanted(struct module *m);

/* Write what is new about all modules. Failures are ignored: they only cost time later. */
void namecache_save(struct symbols *s);

#endif
