/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_HASH_INDEX_H
#define MPROF_REPORT_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_INDEX_NONE UINT32_MAX

/* Finds elements of an array, by their numbers in it, from a hash of whatever is their key. */
struct hash_index {
	struct hash_slot *slots;
	size_t n, n_slots;	/* n_slots: a power of two, or 0 */
};

/* Is @key the key of element @item of the array in @ctx? */
typedef bool hash_index_same(const void *ctx, uint32_t item, const void *key);

/* The element with this key, or HASH_INDEX_NONE. An index of noughts is an empty one. */
uint32_t hash_index_find(const struct hash_index *h, uint64_t hash, hash_index_same *same,
			 const void *ctx, const void *key);

/* Add an element whose key is not in the index. Returns 0 or -ENOMEM. */
int hash_index_add(struct hash_index *h, uint64_t hash, uint32_t item);

void hash_index_release(struct hash_index *h);

/* A hash of @hash and one more number of the key, in that order. */
static inline uint64_t hash_index_mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * 0x9e3779b97f4a7c15u;	/* 2^64 / golden ratio: Knuth's multiplier */
	return hash ^ hash >> 32;
}

#endif
