/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/entries.h"

#include "base/array.h"
#include "base/text.h"
#include "naming/shortname.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void heap_entries_release(struct heap_entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->v[i].name);
	free(e->v);
	free(e->of_line);
	free(e->of_location);
	idindex_release(&e->index);
	*e = (struct heap_entries){ 0 };
}

static bool name_eq(const void *owner, uint32_t id, const void *key)
{
	return !strcmp(((const struct heap_entries *)owner)->v[id].name, key);
}

static uint64_t name_rehash(const void *owner, uint32_t id)
{
	return hash_text(0, ((const struct heap_entries *)owner)->v[id].name);
}

/* Takes ownership of @name. */
static uint32_t entry_named(struct heap_entries *e, char *name)
{
	if (!name)
		return PP_NONE;
	uint64_t hash = hash_text(0, name);
	uint32_t id = idindex_find(&e->index, hash, name_eq, e, name);

	if (id != IDINDEX_NONE) {
		free(name);
		return id;
	}
	if (ARRAY_RESERVE(&e->v, &e->cap, e->n)) {
		free(name);
		return PP_NONE;
	}
	id = (uint32_t)e->n;
	e->v[e->n++] = (struct heap_entry){ .name = name };
	return idindex_add(&e->index, id, hash, name_rehash, e) ? PP_NONE : id;
}

static char *line_name(const struct heap_stacks *h, const struct pp_location *l, uint32_t i,
		       enum heap_grain grain, bool full)
{
	const struct pp_line *line = &h->lines[l->first_line + i];
	const struct pp_function *f = &h->functions[line->function];
	size_t size = strlen(f->name) + 1;
	char *shorter = malloc(size), *text;
	/* All lines but the last are inlined into the next one. */
	const char *inlined = i + 1 < l->n_lines ? " (inline)" : "",
		   *file = *f->file ? f->file : "??";
	int n = -1;

	if (!shorter)
		return NULL;
	if (full)
		strcpy(shorter, f->name);
	else
		shortname(strcmp(f->system_name, f->name) ? f->system_name : NULL, f->name, shorter,
			  size);
	if (grain == BY_FUNCTION)
		n = asprintf(&text, "%s%s", shorter, inlined);
	else if (grain == BY_LINE)
		n = asprintf(&text, "%s%s %s:%" PRId64, shorter, inlined, file, line->line);
	else if (grain == BY_FILE && *f->file)
		n = asprintf(&text, "%s", file);
	else if (grain == BY_FILE)
		n = asprintf(&text, "%s%s ??:0", shorter, inlined);
	else
		n = asprintf(&text, "%016" PRIx64 " %s%s %s:%" PRId64, l->address, shorter, inlined,
			     file, line->line);
	free(shorter);
	return n < 0 ? NULL : text;
}

static int name_location(struct heap_entries *e, const struct heap_stacks *h, size_t i,
			 enum heap_grain grain, bool full)
{
	const struct pp_location *l = &h->locations[i];
	char *text;

	e->of_location[i] = PP_NONE;
	for (uint32_t k = 0; k < l->n_lines; k++) {
		e->of_line[l->first_line + k] = entry_named(e, line_name(h, l, k, grain, full));
		if (e->of_line[l->first_line + k] == PP_NONE)
			return -ENOMEM;
	}
	if (l->n_lines)
		return 0;
	if (asprintf(&text, "%016" PRIx64, l->address) < 0)
		return -ENOMEM;
	e->of_location[i] = entry_named(e, text);
	return e->of_location[i] == PP_NONE ? -ENOMEM : 0;
}

void heap_entries_walk(const struct heap_entries *e, const struct heap_stacks *h,
		       const struct stack *s, void (*frame)(void *ctx, uint32_t entry), void *ctx)
{
	for (size_t k = 0; k < s->n; k++) {
		uint64_t id = h->stacks.elements[s->first + k];
		const struct pp_location *l = &h->locations[id];

		if (!l->n_lines)
			frame(ctx, e->of_location[id]);
		for (uint32_t i = 0; i < l->n_lines; i++)
			frame(ctx, e->of_line[l->first_line + i]);
	}
}

struct sums {
	struct heap_entries *e;
	size_t *seen;	/* by entry: number of the last stack that had it, from 1 */
	size_t stack, frames;
	int64_t value;
};

static void sum_frame(void *ctx, uint32_t entry)
{
	struct sums *s = ctx;
	struct heap_entry *e = &s->e->v[entry];

	if (!s->frames++)
		e->flat = stack_sum(e->flat, s->value);
	if (s->seen[entry] == s->stack)
		return;
	s->seen[entry] = s->stack;
	e->cumulative = stack_sum(e->cumulative, s->value);
}

int heap_entries_find(struct heap_entries *e, const struct heap_stacks *h, enum heap_grain grain,
		      bool full, enum heap_value value)
{
	struct sums s = { .e = e };

	*e = (struct heap_entries){ 0 };
	e->of_line = malloc((h->n_lines + 1) * sizeof *e->of_line);
	e->of_location = malloc((h->n_locations + 1) * sizeof *e->of_location);
	if (!e->of_line || !e->of_location)
		return -ENOMEM;
	for (size_t i = 0; i < h->n_locations; i++)
		if (name_location(e, h, i, grain, full))
			return -ENOMEM;
	s.seen = calloc(e->n + 1, sizeof *s.seen);
	if (!s.seen)
		return -ENOMEM;
	for (size_t i = 0; i < h->stacks.n; i++) {
		s.stack = i + 1;
		s.frames = 0;
		s.value = h->stacks.stacks[i].value[value];
		heap_entries_walk(e, h, &h->stacks.stacks[i], sum_frame, &s);
	}
	free(s.seen);
	return 0;
}
