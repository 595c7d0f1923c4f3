/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of what call sites request, from the code behind them. */
#include "naming/resolve_internal.h"

#include "base/array.h"
#include "profile/pd_site_types.h"
#include "sitetypes/choose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far out to look for a caller that knows the type of what inner functions return as void *. */
enum { WRAPPERS_MAX = 8 };

struct site_typing {
	struct resolver *r;
	struct evidence *evidence;
	struct site_evidence **places; /* by place; NULL: not looked up yet */
	uint64_t *sizes;	       /* requested at a node */
	size_t cap_sizes, cap_types;
};

static const enum pd_type_how hows[N_FLOW_HOW] = {
	[FLOW_VARIABLE] = PD_HOW_VARIABLE, [FLOW_MEMBER] = PD_HOW_MEMBER,
	[FLOW_GLOBAL] = PD_HOW_GLOBAL,	   [FLOW_ARGUMENT] = PD_HOW_ARGUMENT,
	[FLOW_RETURNED] = PD_HOW_RETURNED,
};

static const struct site_evidence nothing;

/* NULL: out of memory. */
static const struct site_evidence *evidence_of(struct site_typing *t, uint32_t place)
{
	const struct profile_place *p = &t->r->p->places[place];

	/* No call is before the instruction of a signal; code without a file has no DWARF. */
	if (p->module == PD_NONE || p->exact)
		return &nothing;
	if (!t->places[place]) {
		struct site_evidence *e = calloc(1, sizeof *e);

		if (!e || evidence_at(t->evidence, (int)p->module, p->address, e)) {
			free(e);
			return NULL;
		}
		t->places[place] = e;
	}
	return t->places[place];
}

/* The evidence for the value returned by the call at the end of a chain: where it was received, or
 * in the callers that it was passed on to. */
static const struct site_evidence *evidence_of_chain(struct site_typing *t, uint32_t node)
{
	const struct call_node *nodes = t->r->p->nodes;
	const struct site_evidence *e = &nothing;

	for (int i = 0; i < WRAPPERS_MAX && node >= PD_FIRST_NODE; i++) {
		e = evidence_of(t, nodes[node].frame);
		if (!e || e->n || !e->passes_on)
			return e;
		node = nodes[node].parent;
	}
	return e;
}

static char *name_of(const struct site_candidate *c, const uint64_t *sizes, size_t n)
{
	char *name = NULL;
	int len;

	if (!site_is_array(c, sizes, n))
		return strdup(c->name);
	if (n == 1)
		len = asprintf(&name, "%s[%" PRIu64 "]", c->name, sizes[0] / c->size);
	else
		len = asprintf(&name, "%s[]", c->name);
	return len < 0 ? NULL : name;
}

/* @node: of the result; t->sizes has @n sizes requested there. */
static int add_types(struct site_typing *t, uint32_t node, const struct site_evidence *e, size_t n)
{
	struct profile_data *d = t->r->out;
	struct site_choice c = site_choose(e, t->sizes, n);

	for (unsigned i = 0; i < e->n; i++) {
		if (!(c.set >> i & 1))
			continue;
		if (ARRAY_RESERVE(&d->site_types, &t->cap_types, d->n_site_types))
			return -ENOMEM;
		char *name = name_of(&e->v[i], t->sizes, n);
		if (!name)
			return -ENOMEM;
		d->site_types[d->n_site_types++] = (struct pd_site_type){
			node, (uint8_t)hows[c.how], c.certain, e->v[i].size, name};
	}
	return 0;
}

/* Leaves are sorted by node, then size; a size occurs more than once with different labels. */
static int add_size(struct site_typing *t, uint64_t size, size_t *n)
{
	if (*n && t->sizes[*n - 1] == size)
		return 0;
	if (ARRAY_RESERVE(&t->sizes, &t->cap_sizes, *n))
		return -ENOMEM;
	t->sizes[(*n)++] = size;
	return 0;
}

static int type_nodes(struct site_typing *t, const uint32_t *from)
{
	struct profile_data *d = t->r->out;
	int err = 0;

	for (size_t i = 0, n = 0; !err && i < d->n_leaves; i++) {
		uint32_t node = d->leaves[i].node;
		const struct site_evidence *e;

		err = add_size(t, d->leaves[i].size, &n);
		if (err || (i + 1 < d->n_leaves && d->leaves[i + 1].node == node))
			continue;
		e = from[node] == PD_NONE ? &nothing : evidence_of_chain(t, from[node]);
		err = e ? add_types(t, node, e, n) : -ENOMEM;
		n = 0;
	}
	return err;
}

/* From nodes of the result to a node of the profile; one of them if there are several. */
static uint32_t *nodes_behind(const struct resolver *r, const uint32_t *to)
{
	uint32_t *from = malloc(r->out->n_nodes * sizeof *from);

	for (size_t i = 0; from && i < r->out->n_nodes; i++)
		from[i] = PD_NONE;
	for (uint32_t i = 0; from && i < r->p->n_nodes; i++)
		if (r->node_used[i])
			from[to[i]] = i;
	return from;
}

int resolve_site_types(struct resolver *r, const uint32_t *to)
{
	struct site_typing t = {.r = r, .evidence = evidence_new(r->namer.symbols)};
	uint32_t *from = nodes_behind(r, to);
	int err;

	t.places = calloc(r->p->n_places + 1, sizeof(struct site_evidence *));
	err = t.evidence && from && t.places ? type_nodes(&t, from) : -ENOMEM;
	pd_site_types_sort(r->out);
	for (size_t i = 0; t.places && i < r->p->n_places; i++) {
		if (t.places[i])
			site_evidence_release(t.places[i]);
		free(t.places[i]);
	}
	evidence_free(t.evidence);
	free(t.places);
	free(t.sizes);
	free(from);
	return err;
}
