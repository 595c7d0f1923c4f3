/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/strings.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const void *owner, uint32_t id, const void *key)
{
	const struct strings *s = owner;

	return !strcmp(s->v[id], key);
}

static uint64_t hash_of(const void *owner, uint32_t id)
{
	const struct strings *s = owner;

	return hash_text(0, s->v[id]);
}

uint32_t strings_add(struct strings *s, const char *text)
{
	uint64_t hash = hash_text(0, text);
	uint32_t id = idindex_find(&s->index, hash, is_same, s, text);

	if (id != IDINDEX_NONE)
		return id;
	if (s->n >= STRINGS_FULL || ARRAY_RESERVE(&s->v, &s->cap, s->n))
		return STRINGS_FULL;
	id = (uint32_t)s->n;
	s->v[id] = text;
	if (idindex_add(&s->index, id, hash, hash_of, s))
		return STRINGS_FULL;
	s->n++;
	return id;
}

void strings_release(struct strings *s)
{
	free(s->v);
	idindex_release(&s->index);
	*s = (struct strings){0};
}
