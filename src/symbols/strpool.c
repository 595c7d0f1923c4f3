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
	idindex_release(&p->index);
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

static bool is_equal(const void *pool, uint32_t number, const void *s)
{
	return !strcmp(((const struct strpool *)pool)->strings[number], s);
}

static uint64_t rehash(const void *pool, uint32_t number)
{
	return hash(((const struct strpool *)pool)->strings[number]);
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

static uint32_t add(struct strpool *p, const char *s, uint64_t h)
{
	uint32_t number = (uint32_t)p->n;

	if (p->n >= IDINDEX_NONE || ARRAY_RESERVE(&p->strings, &p->cap, p->n))
		return IDINDEX_NONE;
	p->strings[p->n] = store(p, s);
	if (!p->strings[p->n] || idindex_add(&p->index, number, h, rehash, p))
		return IDINDEX_NONE;
	p->n++;
	return number;
}

const char *strpool_add(struct strpool *p, const char *s, uint32_t *number)
{
	uint64_t h = hash(s);
	uint32_t id = idindex_find(&p->index, h, is_equal, p, s);

	if (id == IDINDEX_NONE)
		id = add(p, s, h);
	if (id == IDINDEX_NONE)
		return NULL;
	if (number)
		*number = id;
	return p->strings[id];
}
