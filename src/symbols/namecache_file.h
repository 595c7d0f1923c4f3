/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMECACHE_FILE_H
#define MPROF_NAMECACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reading and writing a file of the cache: a sequence of numbers and texts. */

struct cache_in {
	char *bytes;
	size_t at, size;
	bool bad;	/* something in it is invalid */
};

/**
 * Read the entry of a build ID, if it is complete and its identity is @who.
 * Returns 0 or -ENOENT.
 */
int cache_open(struct cache_in *in, const char *id, const char *who);
void cache_close(struct cache_in *in);

/* The next number. If there is none: 0, and in->bad is set. */
uint64_t cache_get_int(struct cache_in *in);
/* The same for a count of things that follow: never more than the file has bytes for. */
uint64_t cache_get_count(struct cache_in *in);
/* The next text, which belongs to @in; NULL: it is NULL, or in->bad is set. */
const char *cache_get_text(struct cache_in *in);

struct symbols_outside;

struct cache_out {
	const struct symbols_outside *outside;
	char *id;
	char *bytes;
	size_t size;
	FILE *f;
};

/* @outside: what will write the entry; NULL: this process. 0, or -ENOENT: there is no directory for
 * a cache. */
int cache_create(struct cache_out *out, const char *id, const char *who,
		 const struct symbols_outside *outside);
/* Append a value; cache_finish() notices errors. */
void cache_put_int(struct cache_out *out, uint64_t value);
void cache_put_text(struct cache_out *out, const char *text);	/* NULL is fine */

/* Write the entry, or have it written. */
void cache_finish(struct cache_out *out);

/**
 * Write an entry that cache_finish() has passed on, completely or not at all, and remove the oldest
 * one if there are too many. Nothing is written if @id is no build ID or @bytes is no entry; the
 * content is checked when it is read.
 */
void cache_keep(const char *id, const char *bytes, size_t n);

#endif
