/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_WALK_H
#define MPROF_HEAPWALK_WALK_H

#include "heapwalk/blocks.h"
#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What is on the heap, from a still: an allocator's own books, read without symbols and without a
 * process. The books are the program's memory, which may say anything: whatever does not agree with
 * the rest of it is a check that fails, and what was found is doubtful then.
 */

enum heap_check_kind {
	CHECK_MUTEXES, /* no arena was being changed */
	CHECK_CHUNKS,  /* chunks follow each other without a break */
	CHECK_SYSTEM,  /* they make up what the arena says it has from the system */
	CHECK_BINS,    /* each free chunk is in one bin */
	CHECK_LISTS,   /* what is in thread caches and fastbins are chunks, once each */
	CHECK_CACHES,  /* the caches of threads have been found */
	CHECK_KEY,     /* all that is in thread caches has the one key of the process */
	CHECK_MAPPED,  /* as many blocks with mappings of their own as the allocator counts */
	CHECK_MEMORY,  /* all memory could be read */
	N_HEAP_CHECKS
};

struct heap_check {
	unsigned failures;
	/* False: it could not be made, which @first says; or, if that is empty, it is of no meaning
	 * for this allocator. */
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
	uint64_t system; /* bytes it says it has from the system */
	/* Chunks by their states. Bytes of live ones are those that the program may use, of others
	 * those of the whole chunk. */
	struct heap_sum sums[N_HEAP_STATES];
};

enum heap_allocator { HEAP_GLIBC, HEAP_JEMALLOC, N_HEAP_ALLOCATORS };

extern const char *const heap_allocator_names[N_HEAP_ALLOCATORS];

struct heap_walk {
	enum heap_allocator allocator;
	struct heap_blocks blocks;
	struct heap_arena *arenas; /* the first is the main one */
	size_t n_arenas, cap_arenas;
	struct heap_sum mapped;	  /* blocks with mappings of their own: what may be used */
	uint64_t mapped_overhead; /* what their pages have besides */
	unsigned caches;	  /* of threads */
	taddr main_arena, main_arena_end;
	struct heap_check checks[N_HEAP_CHECKS];
};

void heap_walk_release(struct heap_walk *w);

/* The first failure's sentence stays. */
__attribute__((format(printf, 3, 4))) void
heap_check_fail(struct heap_walk *w, enum heap_check_kind kind, const char *fmt, ...);
/* It cannot be made. */
void heap_check_skip(struct heap_walk *w, enum heap_check_kind kind, const char *why);

/* All that is in the areas is in the still. */
void heap_check_memory(struct heap_walk *w, const struct still *s);

/* Make the sums of the arenas, when states are final. */
void heap_walk_sum_up(struct heap_walk *w);

/* Walk what there is: the first allocator that is known by its shape. 0, -ENOENT: there is none,
 * -EMLINK: there are several of glibc's, or -ENOMEM. */
int heap_walk(const struct still *s, struct heap_walk *w);

/* Has glibc's allocator handed anything out, too, when another one was walked? */
bool heap_has_glibc_beside(const struct still *s, const struct heap_walk *w);

/* Does a check fail that was made? */
bool heap_walk_is_doubtful(const struct heap_walk *w);

/* The sum over all arenas of one state. */
struct heap_sum heap_walk_sum(const struct heap_walk *w, enum heap_state state);

/* All that is handed out, with a mapping of its own or without. */
struct heap_sum heap_walk_live(const struct heap_walk *w);

/* Live blocks of one usable size. */
struct heap_bin {
	uint64_t usable, n;
};

/* All of them, by size; for free(). NULL: none, or out of memory, which *err says. */
struct heap_bin *heap_walk_bins(const struct heap_walk *w, size_t *n, int *err);

#endif
