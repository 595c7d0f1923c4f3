/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/causes.h"

#include "base/idindex.h"
#include "profile/pd_names.h"
#include "profile/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEEPS 0.95 /* of its blocks; a caller with this share keeps what it requests */
#define MIXED 0.9
enum { CALLERS_MAX = 6 };

/* The requests at a node, and what is kept of them, without what the runtime keeps on purpose. */
struct part {
	uint32_t i; /* in causes.v[] */
	uint32_t node, at, place, group;
	unsigned steps; /* from the nearest line of own code outwards to @at */
	uint64_t allocs, blocks, bytes;
};

struct finding {
	const struct profile_data *d;
	const uint32_t *own;
	uint32_t *places; /* by site: a number, the same for sites of one function and line */
	struct part *v;
	size_t n;
};

static bool place_eq(const void *owner, uint32_t id, const void *key)
{
	const struct profile_data *d = owner;
	uint32_t site = *(const uint32_t *)key;

	return names_function(d, id) == names_function(d, site) &&
	       names_compare_lines(d, id, site) == 0;
}

static uint64_t place_hash(const void *owner, uint32_t site)
{
	return hash_add(hash_mix(names_function(owner, site)), names_line(owner, site));
}

/* The number of a place is that of its first site. 0 or -ENOMEM. */
static int number_places(struct finding *f)
{
	const struct profile_data *d = f->d;
	struct idindex x = {0};
	int err = 0;

	f->places = calloc(d->n_sites + 1, sizeof *f->places);
	if (!f->places)
		return -ENOMEM;
	for (uint32_t site = 0; !err && site < d->n_sites; site++) {
		uint64_t hash = place_hash(d, site);

		f->places[site] = idindex_find(&x, hash, place_eq, d, &site);
		if (f->places[site] != IDINDEX_NONE)
			continue;
		f->places[site] = site;
		err = idindex_add(&x, site, hash, place_hash, d);
	}
	idindex_release(&x);
	return err;
}

static void place_at(const struct finding *f, struct part *p, uint32_t at, unsigned steps)
{
	uint32_t site = f->d->nodes[at].site;

	p->at = at;
	p->steps = steps;
	p->place = site < f->d->n_sites ? f->places[site] : PD_NONE;
}

static uint32_t nearest(const struct finding *f, uint32_t node)
{
	return f->own[node] == PD_NONE ? node : f->own[node];
}

/* The next node of own code outwards, or PD_NONE. */
static uint32_t outwards(const struct finding *f, uint32_t at)
{
	uint32_t parent = f->d->nodes[at].parent;

	return parent == PD_NONE ? PD_NONE : f->own[parent];
}

/* Leaves are sorted by node. 0 or -ENOMEM. */
static int add_parts(struct finding *f)
{
	const struct profile_data *d = f->d;

	f->v = calloc(d->n_leaves + 1, sizeof *f->v);
	if (!f->v)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		uint64_t blocks = l->allocs - l->frees;

		if (!f->n || f->v[f->n - 1].node != l->node) {
			struct part *p = &f->v[f->n];

			*p = (struct part){.i = (uint32_t)f->n++, .node = l->node};
			place_at(f, p, nearest(f, l->node), 0);
		}
		f->v[f->n - 1].allocs += l->allocs;
		if (blocks && runtime_kind_of(d, l) == RUNTIME_NONE) {
			f->v[f->n - 1].blocks += blocks;
			f->v[f->n - 1].bytes += blocks * l->size;
		}
	}
	return 0;
}

static int by_place(const void *x, const void *y)
{
	const struct part *a = x, *b = y;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* The end of the parts that have the same place as the one at @from. */
static size_t end_of_place(const struct finding *f, size_t from, size_t end)
{
	size_t i = from;

	while (i < end && f->v[i].place == f->v[from].place)
		i++;
	return i;
}

/* Makes all of them one group, whose cause is @steps outwards from the nearest lines. */
static void group_up(const struct finding *f, size_t from, size_t end, unsigned steps)
{
	for (size_t i = from; i < end; i++) {
		uint32_t at = nearest(f, f->v[i].node);

		for (unsigned n = 0; n < steps; n++)
			at = outwards(f, at);
		place_at(f, &f->v[i], at, steps);
		f->v[i].group = (uint32_t)from;
	}
}

static struct part sum_up(const struct finding *f, size_t from, size_t end)
{
	struct part sum = {0};

	for (size_t i = from; i < end; i++) {
		sum.allocs += f->v[i].allocs;
		sum.blocks += f->v[i].blocks;
		sum.bytes += f->v[i].bytes;
	}
	return sum;
}

static bool all_have_callers(const struct finding *f, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (outwards(f, f->v[i].at) == PD_NONE)
			return false;
	return true;
}

/**
 * Parts of one place: goes outwards as long as callers that keep differ from callers that free.
 * Returns the bytes kept by groups that keep what they request.
 */
static uint64_t refine(const struct finding *f, size_t from, size_t end, unsigned steps)
{
	const struct part sum = sum_up(f, from, end);
	double kept = sum.allocs ? (double)sum.blocks / (double)sum.allocs : 0;
	uint64_t keeping = 0;

	if (steps < CALLERS_MAX && sum.blocks && kept < MIXED && all_have_callers(f, from, end)) {
		for (size_t i = from; i < end; i++)
			place_at(f, &f->v[i], outwards(f, f->v[i].at), steps + 1);
		qsort(f->v + from, end - from, sizeof *f->v, by_place);
		for (size_t i = from, next; i < end; i = next) {
			next = end_of_place(f, i, end);
			keeping += refine(f, i, next, steps + 1);
		}
		if ((double)keeping >= MIXED * (double)sum.bytes)
			return keeping;
	}
	group_up(f, from, end, steps);
	return kept >= KEEPS ? sum.bytes : 0;
}

static int hand_over(const struct finding *f, struct causes *out)
{
	out->v = calloc(f->n + 1, sizeof *out->v);
	if (!out->v)
		return -ENOMEM;
	out->n = f->n;
	for (size_t i = 0; i < f->n; i++) {
		const struct part *p = &f->v[i];

		out->groups += p->group == i;
		out->v[p->i] = (struct cause){p->node, p->at, (uint32_t)out->groups - 1,
					      p->steps > 0};
	}
	return 0;
}

int causes_find(const struct profile_data *d, const uint32_t *own, struct causes *out)
{
	struct finding f = {.d = d, .own = own};
	int err = number_places(&f);

	*out = (struct causes){0};
	if (!err)
		err = add_parts(&f);
	if (!err && f.n)
		qsort(f.v, f.n, sizeof *f.v, by_place);
	for (size_t i = 0, next; !err && i < f.n; i = next) {
		next = end_of_place(&f, i, f.n);
		refine(&f, i, next, 0);
	}
	if (!err)
		err = hand_over(&f, out);
	free(f.places);
	free(f.v);
	return err;
}

void causes_release(struct causes *c)
{
	free(c->v);
	*c = (struct causes){0};
}
