/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/summary.h"

#include "base/array.h"
#include "profile/pd_names.h"
#include "profile/pd_site_types.h"
#include "profile/pd_windows.h"
#include "report/callers.h"
#include "report/causes.h"
#include "profile/own_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* At most so many types in a line; with more, the type counts as unknown. */
enum { TYPES_SHOWN = 3 };

struct entry {
	struct summary_row row;
	uint32_t first; /* the first of its nodes */
	bool outwards;
};

/* A node of the requests of an entry. */
struct entry_node {
	uint32_t node, at, next; /* at: as in causes.h */
	uint64_t blocks, bytes;	 /* that are kept */
	uint64_t lost;	 /* bytes that are lost directly or hang on these */
};

struct collecting {
	const struct profile_data *d;
	const uint32_t *own;
	struct causes causes;
	size_t cause; /* of the last leaf, in causes.v[] */
	struct entry *v; /* by group */
	struct entry_node *nodes;
	size_t n_nodes, cap_nodes;
};

static struct entry *entry_of(struct collecting *c, const struct pd_leaf *l)
{
	if (c->causes.v[c->cause].node != l->node)
		c->cause++;
	const struct cause *cause = &c->causes.v[c->cause];
	struct entry *e = &c->v[cause->group];

	e->row.site = c->d->nodes[cause->at].site;
	e->row.own = c->own[cause->at] != PD_NONE;
	e->outwards = cause->outwards;
	return e;
}

static int make_entries(struct collecting *c)
{
	c->v = calloc(c->causes.groups + 1, sizeof *c->v);
	for (size_t i = 0; c->v && i < c->causes.groups; i++)
		c->v[i] = (struct entry){
			.row = {.caller = PD_NONE, .through = PD_NONE}, .first = PD_NONE};
	return c->v ? 0 : -ENOMEM;
}

static int add_node(struct collecting *c, struct entry *e, uint32_t node)
{
	if (ARRAY_RESERVE(&c->nodes, &c->cap_nodes, c->n_nodes))
		return -ENOMEM;
	c->nodes[c->n_nodes] = (struct entry_node){
		.node = node, .at = c->causes.v[c->cause].at, .next = e->first};
	e->first = (uint32_t)c->n_nodes++;
	return 0;
}

static int add_leaf(struct collecting *c, const struct pd_leaf *l, struct summary *s)
{
	uint64_t blocks = l->allocs - l->frees;

	s->blocks += blocks;
	s->bytes += blocks * l->size;
	profile_data_add_reach(l, s->reach);
	struct entry *e = entry_of(c, l);

	if (runtime_add(c->d, l, s->runtime) != RUNTIME_NONE)
		return 0;
	e->row.blocks += blocks;
	e->row.bytes += blocks * l->size;
	e->row.frees += l->frees;
	profile_data_add_reach(l, e->row.reach);
	e->row.hanging.blocks += l->hanging.blocks;
	e->row.hanging.bytes += l->hanging.bytes;
	/* Leaves are sorted by node. */
	bool same = e->first != PD_NONE && c->nodes[e->first].node == l->node;
	int err = same ? 0 : add_node(c, e, l->node);
	if (err)
		return err;
	c->nodes[e->first].blocks += blocks;
	c->nodes[e->first].bytes += blocks * l->size;
	c->nodes[e->first].lost += l->reach[PD_LOST] * l->size + l->hanging.bytes;
	return 0;
}

static int by_bytes(const struct summary_row *a, const struct summary_row *b)
{
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->blocks != b->blocks)
		return a->blocks > b->blocks ? -1 : 1;
	return a->site < b->site ? -1 : a->site > b->site;
}

static uint64_t loss(const struct summary_row *r)
{
	return r->reach[PD_LOST].bytes + r->hanging.bytes;
}

/* Direct losses first: what hangs on these blocks would not be lost without them. */
static int by_loss(const struct summary_row *a, const struct summary_row *b)
{
	if (!a->reach[PD_LOST].blocks != !b->reach[PD_LOST].blocks)
		return a->reach[PD_LOST].blocks ? -1 : 1;
	if (a->hangs != b->hangs)
		return a->hangs ? 1 : -1;
	if (loss(a) != loss(b))
		return loss(a) > loss(b) ? -1 : 1;
	return 0;
}

static int by_growth(const void *x, const void *y)
{
	const struct summary_row *a = x, *b = y;
	bool grows = a->verdict.name == TREND_GROWS;

	if (grows != (b->verdict.name == TREND_GROWS))
		return grows ? -1 : 1;
	if (grows && a->verdict.bytes_hour != b->verdict.bytes_hour)
		return a->verdict.bytes_hour > b->verdict.bytes_hour ? -1 : 1;
	return by_bytes(a, b);
}

static int by_weight(const void *x, const void *y)
{
	int order = by_loss(x, y);

	return order ? order : by_growth(x, y);
}

/* Judges by most of the blocks: chains with few requests have no windows. */
static struct trend_verdict judge(const struct collecting *c, const struct entry *e)
{
	struct trend_series s = pd_windows_series(c->d);
	uint64_t unknown = 0;

	s.live = e->row.blocks;
	s.live_bytes = e->row.bytes;
	for (uint32_t i = e->first; i != PD_NONE; i = c->nodes[i].next)
		unknown += pd_windows_add(c->d, c->nodes[i].node, &s) ? 0 : c->nodes[i].blocks;
	return unknown > e->row.blocks / 2 ? (struct trend_verdict){.name = TREND_TOO_EARLY} :
					     trend_judge(&s);
}

/* The type of all of it; if there are several, "A | B". NULL: not known of a part, or out of memory
 * (*err). */
static char *type_of(const struct collecting *c, const struct entry *e, int *err)
{
	struct pd_types_seen seen = {0};
	bool all = true;
	char *text = NULL;

	for (uint32_t i = e->first; !*err && i != PD_NONE; i = c->nodes[i].next) {
		size_t at = pd_site_types_from(c->d, c->nodes[i].node);

		all = all && at < c->d->n_site_types &&
		      c->d->site_types[at].node == c->nodes[i].node;
		*err = pd_types_seen_add(&seen, c->d, c->nodes[i].node);
	}
	if (!*err && all && seen.n && seen.n <= TYPES_SHOWN) {
		text = pd_types_seen_text(&seen);
		*err = text ? 0 : -ENOMEM;
	}
	pd_types_seen_release(&seen);
	return text;
}

/* The callers of an entry's line in own code, at all nodes with losses. 0 or -ENOMEM. */
static int find_callers(const struct collecting *c, const struct entry *e, struct summary_row *r)
{
	struct callers all = {0};
	int err = 0;

	for (uint32_t i = e->first; !err && i != PD_NONE; i = c->nodes[i].next) {
		const struct entry_node *n = &c->nodes[i];

		if (r->own && n->lost)
			err = callers_add(&all, c->d, c->own, n->at, n->lost);
	}
	r->callers = callers_find(&all, &r->caller);
	callers_release(&all);
	return err;
}

/* A place in the function that requests more than half of it; PD_NONE: there is none. Majority
 * vote: the only candidate is the one left after setting off its bytes against those of others. */
static uint32_t through(const struct collecting *c, const struct entry *e)
{
	const struct profile_data *d = c->d;
	uint32_t site = PD_NONE;
	uint64_t left = 0, all = 0;

	for (uint32_t i = e->first; i != PD_NONE; i = c->nodes[i].next) {
		const struct entry_node *n = &c->nodes[i];
		uint32_t at = d->nodes[n->node].site;

		if (!left)
			site = at;
		if (names_function(d, at) == names_function(d, site))
			left += n->bytes;
		else if (n->bytes > left)
			site = at, left = n->bytes - left;
		else
			left -= n->bytes;
	}
	for (uint32_t i = e->first; i != PD_NONE; i = c->nodes[i].next)
		if (names_function(d, d->nodes[c->nodes[i].node].site) == names_function(d, site))
			all += c->nodes[i].bytes;
	return all > e->row.bytes / 2 ? site : PD_NONE;
}

static bool mostly_hangs(const struct summary_row *r)
{
	return !r->reach[PD_LOST].blocks && r->reach[PD_LOST_THROUGH].blocks > r->blocks / 2;
}

/* Entries that keep nothing get no row. 0 or -ENOMEM. */
static int make_rows(const struct collecting *c, struct summary *s)
{
	int err = 0;

	s->rows = calloc(c->causes.groups + 1, sizeof *s->rows);
	if (!s->rows)
		return -ENOMEM;
	for (size_t i = 0; !err && i < c->causes.groups; i++) {
		if (!c->v[i].row.blocks)
			continue;
		struct summary_row *r = &s->rows[s->n++];

		*r = c->v[i].row;
		r->verdict = judge(c, &c->v[i]);
		r->type = type_of(c, &c->v[i], &err);
		r->hangs = mostly_hangs(r);
		r->through = c->v[i].outwards ? through(c, &c->v[i]) : PD_NONE;
		if (r->verdict.name == TREND_GROWS) {
			s->growing++;
			s->grown += r->blocks - r->reach[PD_LOST].blocks -
				    r->reach[PD_LOST_THROUGH].blocks;
		}
		s->n_hanging += r->hangs;
		if (!err)
			err = find_callers(c, &c->v[i], r);
	}
	qsort(s->rows, s->n, sizeof *s->rows, by_weight);
	return err;
}

void summary_sort_by_growth(struct summary *s)
{
	qsort(s->rows, s->n, sizeof *s->rows, by_growth);
	s->n_hanging = 0;
}

void summary_release(struct summary *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->rows[i].type);
	free(s->rows);
	*s = (struct summary){0};
}

int summary_collect(const struct profile_data *d, const char *const *own_code, struct summary *s)
{
	uint32_t *own = own_code_nodes(d, own_code);
	struct collecting c = {.d = d, .own = own};
	int err = own ? causes_find(d, own, &c.causes) : -ENOMEM;

	*s = (struct summary){0};
	if (!err)
		err = make_entries(&c);
	for (size_t i = 0; !err && i < d->n_leaves; i++)
		err = add_leaf(&c, &d->leaves[i], s);
	if (!err)
		err = make_rows(&c, s);
	causes_release(&c.causes);
	free(c.v);
	free(c.nodes);
	free(own);
	if (err)
		summary_release(s);
	return err;
}
