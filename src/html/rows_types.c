/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/rows_types.h"

#include "base/memstream.h"
#include "report/bins.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A list that is being made. */
struct list {
	struct strings *names;
	FILE *out;
	size_t n;
	bool full; /* out of memory */
};

static void put_name(struct list *l, const char *name)
{
	uint32_t id = strings_add(l->names, name);

	l->full = l->full || id == STRINGS_FULL;
	fprintf(l->out, "%s%" PRIu32, l->n++ ? "," : "", id);
}

static void put_sizes(struct list *l, const struct profile_data *d, const struct typed_sizes *s,
		      uint32_t owner)
{
	for (size_t i = typed_sizes_first(s, owner); i < s->n && s->v[i].owner == owner; i++) {
		uint64_t size = s->v[i].size;

		for (size_t k = bins_first_type(d, size);
		     k < d->n_types && d->types[k].size == size; k++)
			put_name(l, d->types[k].name);
	}
}

static void put_names(struct list *l, const struct profile_data *d, const struct leaks *all,
		      const struct leak *path)
{
	struct pd_types_seen seen;

	if (leaks_site_types(d, all, path, &seen))
		l->full = true;
	for (size_t i = 0; i < seen.n; i++)
		put_name(l, seen.v[i]->name);
	if (!seen.n)
		put_sizes(l, d, &all->sizes, path->id);
	pd_types_seen_release(&seen);
}

int rows_types_add(struct rows_types *t, const struct profile_data *d, const struct leaks *l,
		   const struct leak *path, uint32_t *list)
{
	char *text = NULL;
	size_t len, before = t->lists.n;
	struct list of = {&t->strings, memstream_open(&text, &len), 0, false};

	if (!of.out)
		return -ENOMEM;
	put_names(&of, d, l, path);
	if (fclose(of.out) || of.full) {
		free(text);
		return -ENOMEM;
	}
	*list = strings_add(&t->lists, text);
	if (t->lists.n == before)
		free(text);
	return *list == STRINGS_FULL ? -ENOMEM : 0;
}

void rows_types_put(const struct rows_types *t, FILE *out)
{
	fputs(",\n\"types\":[", out);
	for (size_t i = 0; i < t->lists.n; i++)
		fprintf(out, "%s[%s]", i ? "," : "", t->lists.v[i]);
	putc(']', out);
}

void rows_types_release(struct rows_types *t)
{
	for (size_t i = 0; i < t->lists.n; i++)
		free((char *)t->lists.v[i]);
	strings_release(&t->lists);
	strings_release(&t->strings);
}
