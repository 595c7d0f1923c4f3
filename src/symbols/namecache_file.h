/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMECACHE_FILE_H
#define MPROF_NAMECACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Numbers and texts in a file of the cache, one after the other. */

struct cache_in {
	char *bytes;
	size_t at, size;
	bool bad;	/* something in it cannot be */
};

/**
 * Read the entry of a build ID, if it is one of @who and whole.
 * Returns 0 or -ENOENT.
 */
int cache_open(struct cache_in *in, const char *id, const char *who);
void cache_close(struct cache_in *in);

/* The next number. 0 if there is none: then in->bad. */
uint64_t cache_get_int(struct cache_in *in);
/* The same, of things that follow: never more than there can be. */
uint64_t cache_get_count(struct cache_in *in);
/* The next text, which belongs to @in; NULL: none was put there, or in->bad. */
const char *cache_get_text(struct cache_in *in);

struct symbols_outside;

struct cache_out {
	const struct symbols_outside *outside;
	char *id;
	char *bytes;
	size_t size;
	FILE *f;
};

/* @outside: who writes it in the end; NULL: this process does. 0, or -ENOENT: there is no place
 * for a cache. */
int cache_create(struct cache_out *out, const char *id, const char *who,
		 const struct symbols_outside *outside);
void cache_put_int(struct cache_out *out, uint64_t value);
void cache_put_text(struct cache_out *out, const char *text);	/* NULL is fine */

/* Write the entry, or have it written. */
void cache_finish(struct cache_out *out);

/**
 * Write an entry that cache_finish() has handed over, as a whole or not at all, and throw away the
 * oldest ones if there are too many. Whatever is no entry of a build ID is not written; what is in
 * it is checked by who reads it.
 */
void cache_keep(const char *id, const char *bytes, size_t n);

#endif
