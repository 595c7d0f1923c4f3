/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/strpool.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)64 * 1024)

struct strpool_chunk {
	struct strpool_chunk *next;
	size_t used, size;
	char bytes[];
};

void strpool_release(struct strpool *p)
{
	while (p->chunks) {
		struct strpool_chunk *next = p->chunks->next;

		free(p->chunks);
		p->chunks = next;
	}
	free(p->strings);
	free(p->slots);
	memset(p, 0, sizeof *p);
}

/* FNV-1a */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return h ^ h >> 32;
}

static size_t find_slot(const struct strpool *p, const char *s)
{
	size_t i = hash(s) & (p->n_slots - 1);

	while (p->slots[i] && strcmp(p->strings[p->slots[i] - 1], s) != 0)
		i = (i + 1) & (p->n_slots - 1);
	return i;
}

static int grow(struct strpool *p)
{
	size_t want = p->n_slots ? p->n_slots * 2 : 256;
	uint32_t *slots = calloc(want, sizeof *slots);

	if (!slots)
		return -ENOMEM;
	free(p->slots);
	p->slots = slots;
	p->n_slots = want;
	for (size_t i = 0; i < p->n; i++)
		p->slots[find_slot(p, p->strings[i])] = (uint32_t)(i + 1);
	return 0;
}

static char *store(struct strpool *p, const char *s)
{
	size_t len = strlen(s) + 1;

	if (!p->chunks || p->chunks->size - p->chunks->used < len) {
		size_t size = len > CHUNK ? len : CHUNK;
		struct strpool_chunk *c = malloc(sizeof *c + size);

		if (!c)
			return NULL;
		*c = (struct strpool_chunk){ .next = p->chunks, .size = size };
		p->chunks = c;
	}
	char *at = p->chunks->bytes + p->chunks->used;

	memcpy(at, s, len);
	p->chunks->used += len;
	return at;
}

const char *strpool_add(struct strpool *p, const char *s, uint32_t *number)
{
	if (p->n >= p->n_slots / 2 && grow(p))
		return NULL;
	size_t slot = find_slot(p, s);

	if (!p->slots[slot]) {
		if (p->n >= UINT32_MAX - 1 || ARRAY_RESERVE(&p->strings, &p->cap, p->n))
			return NULL;
		char *copy = store(p, s);

		if (!copy)
			return NULL;
		p->strings[p->n++] = copy;
		p->slots[slot] = (uint32_t)p->n;
	}
	if (number)
		*number = p->slots[slot] - 1;
	return p->strings[p->slots[slot] - 1];
}
