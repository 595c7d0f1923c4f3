/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_site_types.h"

#include "base/array.h"
#include "base/memstream.h"
#include "base/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pd_type_how_words[PD_HOWS] = {
	[PD_HOW_VARIABLE] = "variable", [PD_HOW_MEMBER] = "member",	[PD_HOW_GLOBAL] = "global",
	[PD_HOW_ARGUMENT] = "argument", [PD_HOW_RETURNED] = "returned",
};

static int compare(const void *a, const void *b)
{
	const struct pd_site_type *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Nodes that have been merged may have had different types. */
static void join(struct profile_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_site_types; i++) {
		struct pd_site_type *last = n ? &d->site_types[n - 1] : NULL,
				    *t = &d->site_types[i];

		if (!last || compare(last, t)) {
			d->site_types[n++] = *t;
			continue;
		}
		last->how = t->how < last->how ? t->how : last->how;
		last->certain &= t->certain;
		free(t->name);
	}
	d->n_site_types = n;
	for (size_t i = 1; i < n; i++)
		if (d->site_types[i].node == d->site_types[i - 1].node)
			d->site_types[i].certain = d->site_types[i - 1].certain = 0;
}

void pd_site_types_sort(struct profile_data *d)
{
	if (d->n_site_types)
		qsort(d->site_types, d->n_site_types, sizeof *d->site_types, compare);
	join(d);
}

/* By node: it has leaves, and their type is not known. NULL: out of memory. */
static bool *find_unknown(const struct profile_data *d)
{
	uint32_t n = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		n = d->leaves[i].node >= n ? d->leaves[i].node + 1 : n;
	bool *unknown = calloc((size_t)n + 1, sizeof *unknown);

	for (size_t i = 0; unknown && i < d->n_leaves; i++)
		unknown[d->leaves[i].node] = !pd_site_types_has(d, d->leaves[i].node);
	return unknown;
}

static void doubt(struct profile_data *d, uint32_t node)
{
	for (size_t i = pd_site_types_from(d, node);
	     i < d->n_site_types && d->site_types[i].node == node; i++)
		d->site_types[i].certain = 0;
}

/* A node that was merged with one of unknown type has no certain type. Without memory for @unknown,
 * no node has. */
static void doubt_mixed(struct profile_data *d, const bool *unknown, const uint32_t *to)
{
	for (size_t i = 0; !unknown && i < d->n_site_types; i++)
		d->site_types[i].certain = 0;
	for (size_t i = 0; unknown && i < d->n_leaves; i++)
		if (unknown[d->leaves[i].node] && to[d->leaves[i].node] != PD_NONE)
			doubt(d, to[d->leaves[i].node]);
}

void pd_site_types_move(struct profile_data *d, const uint32_t *to)
{
	bool *unknown = d->n_site_types ? find_unknown(d) : NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->n_site_types; i++) {
		struct pd_site_type t = d->site_types[i];

		t.node = to[t.node];
		if (t.node == PD_NONE)
			free(t.name);
		else
			d->site_types[n++] = t;
	}
	d->n_site_types = n;
	pd_site_types_sort(d);
	doubt_mixed(d, unknown, to);
	free(unknown);
}

void pd_site_types_drop(struct profile_data *d)
{
	for (size_t i = 0; i < d->n_site_types; i++)
		free(d->site_types[i].name);
	free(d->site_types);
	d->site_types = NULL;
	d->n_site_types = 0;
}

size_t pd_site_types_from(const struct profile_data *d, uint32_t node)
{
	return SEARCH_FIRST(d->n_site_types, i, d->site_types[i].node >= node);
}

bool pd_site_types_has(const struct profile_data *d, uint32_t node)
{
	size_t i = pd_site_types_from(d, node);

	return i < d->n_site_types && d->site_types[i].node == node;
}

int pd_types_seen_add(struct pd_types_seen *s, const struct profile_data *d, uint32_t node)
{
	size_t i = pd_site_types_from(d, node);
	bool some = pd_site_types_has(d, node);

	if (!s->any)
		*s = (struct pd_types_seen){.any = true, .certain = true, .how = PD_HOWS - 1};
	s->certain &= some;
	for (; i < d->n_site_types && d->site_types[i].node == node; i++) {
		const struct pd_site_type *t = &d->site_types[i];
		size_t at = SEARCH_FIRST(s->n, k, strcmp(s->v[k]->name, t->name) >= 0);

		s->certain &= t->certain;
		s->how = t->how < s->how ? t->how : s->how;
		if (at < s->n && !strcmp(s->v[at]->name, t->name))
			continue;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the elements are pointers */
		if (ARRAY_RESERVE(&s->v, &s->cap, s->n))
			return -ENOMEM;
		memmove(&s->v[at + 1], &s->v[at], (s->n++ - at) * sizeof(struct pd_site_type *));
		s->v[at] = t;
	}
	s->certain &= s->n == 1;
	return 0;
}

char *pd_types_seen_text(const struct pd_types_seen *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = memstream_open(&text, &len);

	for (size_t i = 0; f && i < s->n; i++)
		fprintf(f, "%s%s", i ? " | " : "", s->v[i]->name);
	if (f && !fclose(f))
		return text;
	free(f ? text : NULL);
	return NULL;
}

void pd_types_seen_release(struct pd_types_seen *s)
{
	free(s->v);
	*s = (struct pd_types_seen){0};
}
