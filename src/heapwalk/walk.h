/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_WALK_H
#define MPROF_HEAPWALK_WALK_H

#include "heapwalk/blocks.h"
#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What is on the heap, from a still: an allocator's own data structures, read without symbols and
 * without a process. These are the program's memory, which may contain anything: if parts of it do
 * not agree a check fails, and the result is doubtful.
 */

enum heap_check_kind {
	CHECK_MUTEXES, /* no arena was being changed */
	CHECK_CHUNKS,  /* chunks are adjacent without a gap */
	CHECK_SYSTEM,  /* their sum is what the arena says it has got from the system */
	CHECK_BINS,    /* each free chunk is in one bin */
	CHECK_LISTS,   /* thread caches and fastbins contain chunks, each once */
	CHECK_CACHES,  /* thread caches have been found */
	CHECK_KEY,     /* all blocks in thread caches have the process's key */
	CHECK_MAPPED,  /* there are as many blocks with mappings of their own as the allocator
			  counts */
	CHECK_MEMORY,  /* all memory could be read */
	N_HEAP_CHECKS
};

struct heap_check {
	unsigned failures;
	/* False: the check could not be made, as @first says; or, if that is empty, it has no
	 * meaning for this allocator. */
	bool done;
	char first[128]; /* about the first failure */
};

extern const char *const heap_check_names[N_HEAP_CHECKS];

struct heap_sum {
	uint64_t n, bytes;
};

static inline void heap_sum_add(struct heap_sum *to, struct heap_sum more)
{
	to->n += more.n;
	to->bytes += more.bytes;
}

struct heap_arena {
	taddr at;
	uint64_t system; /* bytes that it says it has got from the system */
	/* Chunks by state. For live ones the bytes are those that the program may use, for others
	 * those of the whole chunk. */
	struct heap_sum sums[N_HEAP_STATES];
};

/* Memory of the allocator's own that is in no piece. An address there is no use of a block. */
struct heap_own {
	taddr start, end;
};

enum heap_allocator { HEAP_GLIBC, HEAP_JEMALLOC, N_HEAP_ALLOCATORS };

extern const char *const heap_allocator_names[N_HEAP_ALLOCATORS];

struct heap_walk {
	enum heap_allocator allocator;
	struct heap_blocks blocks;
	struct heap_arena *arenas; /* the first is the main one */
	size_t n_arenas, cap_arenas;
	struct heap_sum mapped;	  /* blocks with mappings of their own: usable bytes */
	uint64_t mapped_overhead; /* the other bytes of their pages */
	unsigned caches;	  /* thread caches that were found */
	taddr main_arena;
	struct heap_own *own;
	size_t n_own, cap_own;
	struct heap_check checks[N_HEAP_CHECKS];
};

void heap_walk_release(struct heap_walk *w);

/* 0 or -ENOMEM. */
int heap_add_own(struct heap_walk *w, taddr start, taddr end);

/* A check has failed. Only the first failure's sentence is kept. */
__attribute__((format(printf, 3, 4))) void
heap_check_fail(struct heap_walk *w, enum heap_check_kind kind, const char *fmt, ...);
/* A check cannot be made. */
void heap_check_skip(struct heap_walk *w, enum heap_check_kind kind, const char *why);

/* Check that the still has all memory of the areas. */
void heap_check_memory(struct heap_walk *w, const struct still *s);

/* Compute the sums of the arenas, when states are final. */
void heap_walk_sum_up(struct heap_walk *w);

/* Walk the heap of the first allocator that is recognised. 0, -ENOENT: there is none, -EMLINK:
 * there are several of glibc's, or -ENOMEM. */
int heap_walk(const struct still *s, struct heap_walk *w);

/* If another allocator was walked: has glibc's handed out blocks, too? */
bool heap_has_glibc_beside(const struct still *s, const struct heap_walk *w);

/* Has a check failed? */
bool heap_walk_is_doubtful(const struct heap_walk *w);

/* The sum over all arenas of one state. */
struct heap_sum heap_walk_sum(const struct heap_walk *w, enum heap_state state);

/* The sum of all live blocks, with mappings of their own or without. */
struct heap_sum heap_walk_live(const struct heap_walk *w);

/* Live blocks of one usable size. */
struct heap_bin {
	uint64_t usable, n;
};

/* All live blocks by size, sorted; for free(). NULL: out of memory, as *err says. */
struct heap_bin *heap_walk_bins(const struct heap_walk *w, size_t *n, int *err);

#endif
