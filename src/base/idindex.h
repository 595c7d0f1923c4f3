/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_IDINDEX_H
#define MPROF_BASE_IDINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDINDEX_NONE UINT32_MAX

/*
 * A hash index over elements that are elsewhere, in an array, and are identified by their index:
 * four bytes a slot, about eight an element. The array's owner compares and hashes.
 */
struct idindex {
	uint32_t *slots;	/* id + 1, 0: empty */
	uint32_t mask;		/* number of slots - 1 */
	uint32_t n;
};

typedef bool idindex_eq(const void *owner, uint32_t id, const void *key);
typedef uint64_t idindex_hash(const void *owner, uint32_t id);

void idindex_release(struct idindex *x);

/* Remove all ids. As many as there were can be added again without allocation. */
void idindex_clear(struct idindex *x);

/* The id whose element equals @key, or IDINDEX_NONE. Inline, so that @eq is inlined: a look-up is
 * what the tracer does most between two stops. */
static inline uint32_t idindex_find(const struct idindex *x, uint64_t hash, idindex_eq *eq,
				    const void *owner, const void *key)
{
	if (!x->slots)
		return IDINDEX_NONE;
	for (uint32_t i = (uint32_t)hash & x->mask; x->slots[i]; i = (i + 1) & x->mask)
		if (eq(owner, x->slots[i] - 1, key))
			return x->slots[i] - 1;
	return IDINDEX_NONE;
}

/* The first slot for an element with this hash: its id, or IDINDEX_NONE, or another's. */
static inline uint32_t idindex_guess(const struct idindex *x, uint64_t hash)
{
	return x->slots ? x->slots[(uint32_t)hash & x->mask] - 1 : IDINDEX_NONE;
}

static inline void idindex_expect(const struct idindex *x, uint64_t hash)
{
	if (x->slots)
		__builtin_prefetch(&x->slots[(uint32_t)hash & x->mask]);
}

/* Add @id, which must not be in it yet. @rehash returns the hash of an id that is. 0 or -ENOMEM. */
int idindex_add(struct idindex *x, uint32_t id, uint64_t hash, idindex_hash *rehash,
		const void *owner);

/* Remove @id, whose element must not have changed since it was added. */
void idindex_remove(struct idindex *x, uint32_t id, uint64_t hash, idindex_hash *rehash,
		    const void *owner);

/* Make *@to, which is empty, an index of the same ids. 0 or -ENOMEM. */
int idindex_copy(struct idindex *to, const struct idindex *from);

/* Bytes of memory. */
static inline size_t idindex_memory(const struct idindex *x)
{
	return x->slots ? ((size_t)x->mask + 1) * sizeof *x->slots : 0;
}

/* Spread the bits of a word over the whole word (the finaliser of MurmurHash3, public domain). */
static inline uint64_t hash_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

/* A hash of @hash and one more number of the key, in that order. */
static inline uint64_t hash_add(uint64_t hash, uint64_t more)
{
	return hash_mix(hash ^ more);
}

#endif
