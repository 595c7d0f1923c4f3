/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ADDRTABLE_H
#define MPROF_BASE_ADDRTABLE_H

#include "base/idindex.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * A table of addresses and what is known of each: open addressing, linear probing, at most three
 * quarters full, and without tombstones, as blocks come and go all the time. A slot is a struct of
 * the user's that begins with the address, a uint64_t; 0: the slot is empty.
 *
 * Everything is inline and takes the slot's size, a constant: it is used at every allocation.
 */
struct addrtable {
	void *slots;
	size_t mask;	/* number of slots - 1 */
	size_t n;	/* addresses */
};

#define ADDRTABLE_INLINE __attribute__((always_inline)) static inline

ADDRTABLE_INLINE void *addrtable_slot(const struct addrtable *t, size_t i, size_t size)
{
	return (char *)t->slots + i * size;
}

ADDRTABLE_INLINE uint64_t addrtable_address(const struct addrtable *t, size_t i, size_t size)
{
	return *(const uint64_t *)addrtable_slot(t, i, size);
}

ADDRTABLE_INLINE size_t addrtable_home(const struct addrtable *t, uint64_t address)
{
	return hash_mix(address) & t->mask;
}

/* The slot that has @address, or the empty one where it belongs. There must be slots. */
ADDRTABLE_INLINE size_t addrtable_seek(const struct addrtable *t, uint64_t address, size_t size)
{
	size_t i = addrtable_home(t, address);

	for (uint64_t there; (there = addrtable_address(t, i, size)) && there != address;)
		i = (i + 1) & t->mask;
	return i;
}

/* The slot of @address, or NULL: it is not in the table. */
ADDRTABLE_INLINE void *addrtable_find(const struct addrtable *t, uint64_t address, size_t size)
{
	if (!t->slots || !address)
		return NULL;
	size_t i = addrtable_seek(t, address, size);

	return addrtable_address(t, i, size) ? addrtable_slot(t, i, size) : NULL;
}

static inline int addrtable_grow(struct addrtable *t, size_t size)
{
	size_t n = t->slots ? (t->mask + 1) * 2 : 1024;
	struct addrtable bigger = { calloc(n, size), n - 1, t->n };

	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; t->slots && i <= t->mask; i++) {
		uint64_t address = addrtable_address(t, i, size);

		if (address)
			memcpy(addrtable_slot(&bigger, addrtable_seek(&bigger, address, size),
					      size),
			       addrtable_slot(t, i, size), size);
	}
	free(t->slots);
	*t = bigger;
	return 0;
}

/**
 * The slot of @address, which is not 0; it is added if needed. *@known: it was in the table; if
 * not, the caller fills in the slot behind the address, which is undefined. NULL: out of memory.
 */
ADDRTABLE_INLINE void *addrtable_put(struct addrtable *t, uint64_t address, size_t size,
				     bool *known)
{
	if ((!t->slots || t->n >= t->mask - t->mask / 4) && addrtable_grow(t, size))
		return NULL;
	size_t i = addrtable_seek(t, address, size);
	uint64_t *slot = addrtable_slot(t, i, size);

	*known = *slot;
	t->n += !*known;
	*slot = address;
	return slot;
}

/* Remove @address; its slot is copied to the caller's @was. False: it is not in the table. */
ADDRTABLE_INLINE bool addrtable_take(struct addrtable *t, uint64_t address, size_t size, void *was)
{
	if (!t->slots || !address)
		return false;
	size_t gap = addrtable_seek(t, address, size);
	if (!addrtable_address(t, gap, size))
		return false;
	memcpy(was, addrtable_slot(t, gap, size), size);
	t->n--;
	/* Close the gap: move back whatever would no longer be found behind it. */
	uint64_t there;
	for (size_t i = (gap + 1) & t->mask; (there = addrtable_address(t, i, size));
	     i = (i + 1) & t->mask) {
		if (((i - addrtable_home(t, there)) & t->mask) < ((i - gap) & t->mask))
			continue;
		memcpy(addrtable_slot(t, gap, size), addrtable_slot(t, i, size), size);
		gap = i;
	}
	*(uint64_t *)addrtable_slot(t, gap, size) = 0;
	return true;
}

/* Prefetch the slot of an address that will soon be needed: a large table is seldom in the
 * processor's caches. */
ADDRTABLE_INLINE void addrtable_expect(const struct addrtable *t, uint64_t address, size_t size)
{
	if (t->slots)
		__builtin_prefetch(addrtable_slot(t, addrtable_home(t, address), size), 1);
}

static inline void addrtable_release(struct addrtable *t)
{
	free(t->slots);
	*t = (struct addrtable){ 0 };
}

#endif
