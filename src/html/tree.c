/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree as the page needs it: which nodes, in which order, and their own values. */
#include "base/array.h"
#include "html/tree.h"
#include "html/tree_internal.h"
#include "profile/pd_names.h"
#include "profile/own_code.h"
#include "profile/pd_site_types.h"
#include "profile/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- chosen elements ---- */

/* Allocate for the @n elements of the profile; none is chosen yet. 0 or -ENOMEM. */
static int chosen_init(struct chosen *c, size_t n)
{
	c->v = calloc(n + 1, sizeof *c->v);
	c->number = malloc((n + 1) * sizeof *c->number);
	if (!c->v || !c->number)
		return -ENOMEM;
	memset(c->number, 0xff, (n + 1) * sizeof *c->number);
	return 0;
}

static void choose(struct chosen *c, uint32_t element)
{
	if (c->number[element] != PD_NONE)
		return;
	c->number[element] = (uint32_t)c->n;
	c->v[c->n++] = element;
}

static void chosen_release(struct chosen *c)
{
	free(c->v);
	free(c->number);
}

/* ---- values of each node ---- */

static void add_kept(struct own *o, const struct profile_data *d, const struct pd_leaf *l)
{
	struct pd_sum kept[RUNTIME_KINDS] = {0};
	enum runtime_kind kind = runtime_add(d, l, kept);

	if (kind != RUNTIME_NONE) {
		o->runtime.blocks += kept[kind].blocks;
		o->runtime.bytes += kept[kind].bytes;
	}
	o->lost.blocks += l->reach[PD_LOST];
	o->lost.bytes += l->reach[PD_LOST] * l->size;
	o->hanging.blocks += l->hanging.blocks;
	o->hanging.bytes += l->hanging.bytes;
}

static int add_own(struct tree *t)
{
	const struct profile_data *d = t->d;

	t->own = calloc(d->n_nodes, sizeof *t->own);
	if (!t->own)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		struct own *o = &t->own[l->node];

		if (o->allocs && l->allocs)
			o->sizes_differ |= o->size != l->size;
		else if (l->allocs)
			o->size = l->size;
		o->allocs += l->allocs;
		o->bytes += l->allocs * l->size;
		o->frees += l->frees;
		o->free_bytes += l->frees * l->size;
		o->peak_blocks += l->at_peak;
		o->peak_bytes += l->at_peak * l->size;
		add_kept(o, d, l);
	}
	for (size_t i = 0; i < d->n_lifetimes; i++)
		if (d->lifetimes[i].axis == PD_LIFE_TEMPORARY)
			t->own[d->lifetimes[i].node].temporary += d->lifetimes[i].blocks;
	return 0;
}

/* ---- the order ---- */

/* The tree as linked lists. */
struct links {
	uint32_t *child, *next; /* by node: its first child, its next sibling; or PD_NONE */
};

/* Link the nodes under which something was requested. Backwards: a node then comes after all below
 * it, and the first child ends up in front. */
static void link_nodes(const struct tree *t, struct links *l)
{
	const struct pd_node *nodes = t->d->nodes;

	for (uint32_t i = (uint32_t)t->d->n_nodes; i-- > PD_FIRST_NODE;) {
		uint32_t parent = nodes[i].parent;

		if (!t->own[i].allocs && l->child[i] == PD_NONE)
			continue;
		l->next[i] = l->child[parent];
		l->child[parent] = i;
	}
}

/* The node after @node, depth first and below @root; PD_NONE: there is none. */
static uint32_t next_node(const struct tree *t, const struct links *l, uint32_t node, uint32_t root)
{
	if (l->child[node] != PD_NONE)
		return l->child[node];
	while (node != root && l->next[node] == PD_NONE)
		node = t->d->nodes[node].parent;
	return node == root ? PD_NONE : l->next[node];
}

/* The root of whole chains is a node only if it has requests, those with an empty chain. The root
 * of truncated chains is one if there are any. */
static void choose_nodes(struct tree *t, const struct links *l)
{
	for (uint32_t root = PD_ROOT_WHOLE; root <= PD_ROOT_TRUNCATED; root++) {
		uint32_t first = next_node(t, l, root, root);

		if (t->own[root].allocs || (tree_is_cut(root) && first != PD_NONE))
			choose(&t->nodes, root);
		for (uint32_t i = first; i != PD_NONE; i = next_node(t, l, i, root))
			choose(&t->nodes, i);
	}
}

static int order_nodes(struct tree *t)
{
	size_t size = t->d->n_nodes * sizeof(uint32_t);
	struct links l = {malloc(size), malloc(size)};
	int err = l.child && l.next ? chosen_init(&t->nodes, t->d->n_nodes) : -ENOMEM;

	if (!err) {
		memset(l.child, 0xff, size);
		memset(l.next, 0xff, size);
		link_nodes(t, &l);
		choose_nodes(t, &l);
	}
	free(l.child);
	free(l.next);
	return err;
}

static int list_leaves(struct tree *t)
{
	t->leaves = calloc(t->nodes.n + 1, sizeof *t->leaves);
	for (size_t i = 0; t->leaves && i < t->nodes.n; i++)
		if (t->own[t->nodes.v[i]].allocs)
			t->leaves[t->n_leaves++] = (uint32_t)i;
	return t->leaves ? 0 : -ENOMEM;
}

/* ---- sites, functions and modules of the nodes ---- */

static int choose_sites(struct tree *t)
{
	const struct profile_data *d = t->d;

	if (chosen_init(&t->sites, d->n_sites + 1) || chosen_init(&t->functions, names_count(d)) ||
	    chosen_init(&t->modules, d->n_modules))
		return -ENOMEM;
	for (size_t i = 0; i < t->nodes.n; i++)
		if (!tree_is_cut(t->nodes.v[i]))
			choose(&t->sites, tree_site(t, t->nodes.v[i]));
	for (size_t i = 0; i < t->sites.n; i++)
		choose(&t->functions, names_function(t->d, t->sites.v[i]));
	for (size_t i = 0; i < t->functions.n; i++)
		if (tree_module(t, t->functions.v[i]) != PD_NONE)
			choose(&t->modules, tree_module(t, t->functions.v[i]));
	return 0;
}

/* NULL as @text becomes PD_NONE. */
static int add_string(struct tree *t, const char *text, uint32_t *number)
{
	*number = text ? strings_add(&t->strings, text) : PD_NONE;
	return text && *number == STRINGS_FULL ? -ENOMEM : 0;
}

static int name_all(struct tree *t)
{
	const struct profile_data *d = t->d;
	int err = 0;

	t->function_name = calloc(t->functions.n + 1, sizeof *t->function_name);
	t->site_file = calloc(t->sites.n + 1, sizeof *t->site_file);
	t->module_path = calloc(t->modules.n + 1, sizeof *t->module_path);
	if (!t->function_name || !t->site_file || !t->module_path)
		return -ENOMEM;
	for (size_t i = 0; !err && i < t->functions.n; i++)
		err = add_string(t, names_text(d, t->functions.v[i]), &t->function_name[i]);
	for (size_t i = 0; !err && i < t->sites.n; i++) {
		uint32_t site = t->sites.v[i];

		err = add_string(t, site < d->n_sites ? d->sites[site].file : NULL,
				 &t->site_file[i]);
	}
	for (size_t i = 0; !err && i < t->modules.n; i++)
		err = add_string(t, d->modules[t->modules.v[i]].path, &t->module_path[i]);
	return err;
}

static int add_types_of(struct tree *t, uint32_t place)
{
	const struct profile_data *d = t->d;
	uint32_t node = t->nodes.v[place];

	for (size_t i = pd_site_types_from(d, node);
	     i < d->n_site_types && d->site_types[i].node == node; i++) {
		struct tree_type type = {.node = place, .certain = d->site_types[i].certain};

		if (add_string(t, d->site_types[i].name, &type.name) ||
		    ARRAY_RESERVE(&t->types, &t->cap_types, t->n_types))
			return -ENOMEM;
		t->types[t->n_types++] = type;
	}
	return 0;
}

static int add_types(struct tree *t)
{
	int err = 0;

	for (size_t i = 0; t->d->n_site_types && !err && i < t->n_leaves; i++)
		err = add_types_of(t, t->leaves[i]);
	return err;
}

/* ---- all ---- */

static int build(struct tree *t, const char *const *own_code)
{
	int err = add_own(t);

	t->holders = own_code_holders(t->d, own_code);
	if (!t->holders)
		err = -ENOMEM;
	if (!err)
		err = order_nodes(t);
	if (!err)
		err = list_leaves(t);
	if (!err)
		err = choose_sites(t);
	if (!err)
		err = name_all(t);
	return err ? err : add_types(t);
}

int tree_new(const struct profile_data *d, const char *const *own_code, struct tree **t)
{
	*t = calloc(1, sizeof **t);
	if (!*t)
		return -ENOMEM;
	(*t)->d = d;
	int err = build(*t, own_code);
	if (err) {
		tree_free(*t);
		*t = NULL;
	}
	return err;
}

void tree_number(struct tree *t, const uint64_t *same)
{
	t->same = same;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->own);
	free(t->holders);
	chosen_release(&t->nodes);
	chosen_release(&t->sites);
	chosen_release(&t->functions);
	chosen_release(&t->modules);
	free(t->leaves);
	strings_release(&t->strings);
	free(t->function_name);
	free(t->site_file);
	free(t->module_path);
	free(t->types);
	free(t);
}
