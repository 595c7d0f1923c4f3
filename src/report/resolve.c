/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/resolve.h"

#include "base/array.h"
#include "report/resolve_types.h"
#include "report/start_code.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sites that one place stands for, outermost first: elements [first, first + n) of run[]. */
struct place_sites {
	uint32_t first, n;
	enum start_code start;
};

struct function_key {
	uint64_t key;
	uint32_t module;
};

struct resolver {
	const struct profile *p;
	const struct resolve_module *modules;
	uint32_t program;
	struct profile_data *out;
	struct symbols *symbols;
	struct start_names start_names;
	size_t cap_functions, cap_sites, cap_nodes;
	struct function_key *function_keys;
	size_t cap_keys;
	struct idindex function_index, site_index, node_index;
	struct place_sites *places;
	uint32_t *run;
	size_t n_run, cap_run;
};

/* ---- functions and sites ---- */

static bool function_eq(const void *owner, uint32_t id, const void *key)
{
	const struct function_key *a = &((const struct resolver *)owner)->function_keys[id], *b = key;

	return a->key == b->key && a->module == b->module;
}

static uint64_t function_hash(const struct function_key *k)
{
	return hash_mix(k->key ^ (uint64_t)k->module << 40);
}

static uint64_t function_rehash(const void *owner, uint32_t id)
{
	return function_hash(&((const struct resolver *)owner)->function_keys[id]);
}

static int add_function(struct resolver *r, const struct sym_frame *f, struct function_key key)
{
	struct pd_function fn = { .module = key.module, .address = f->address };
	size_t n = r->out->n_functions;

	if (ARRAY_RESERVE(&r->out->functions, &r->cap_functions, n) ||
	    ARRAY_RESERVE(&r->function_keys, &r->cap_keys, n))
		return -ENOMEM;
	fn.name = strdup(f->name);
	if (!fn.name)
		return -ENOMEM;
	if (f->linkage && strcmp(f->linkage, f->name))
		fn.linkage = strdup(f->linkage);
	r->function_keys[n] = key;
	r->out->functions[r->out->n_functions++] = fn;
	return idindex_add(&r->function_index, (uint32_t)n, function_hash(&key), function_rehash, r);
}

static int function_of(struct resolver *r, uint32_t module, const struct sym_frame *f, uint32_t *id)
{
	struct function_key key = { f->function_key, module };

	*id = idindex_find(&r->function_index, function_hash(&key), function_eq, r, &key);
	if (*id == IDINDEX_NONE) {
		*id = (uint32_t)r->out->n_functions;
		return add_function(r, f, key);
	}
	struct pd_function *fn = &r->out->functions[*id];
	if (!fn->address) /* first seen inlined */
		fn->address = f->address;
	return 0;
}

/* One site for a call made by a function from an address; inlined functions share the address. */
static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_site *a = &((const struct resolver *)owner)->out->sites[id], *b = key;

	return a->function == b->function && a->address == b->address && a->offset == b->offset &&
	       a->line == b->line && a->inlined == b->inlined;
}

static uint64_t site_hash(const struct pd_site *s)
{
	return hash_mix(s->address ^ (uint64_t)s->function << 32 ^ (uint64_t)s->line << 8);
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return site_hash(&((const struct resolver *)owner)->out->sites[id]);
}

static int site_of(struct resolver *r, uint32_t module, const struct sym_frame *f, uint64_t address,
		   uint32_t *id)
{
	struct pd_site s = {
		.address = address, .offset = f->offset, .line = f->line, .inlined = f->inlined
	};
	int err = function_of(r, module, f, &s.function);

	if (err)
		return err;
	*id = idindex_find(&r->site_index, site_hash(&s), site_eq, r, &s);
	if (*id != IDINDEX_NONE)
		return 0;
	*id = (uint32_t)r->out->n_sites;
	if (ARRAY_RESERVE(&r->out->sites, &r->cap_sites, r->out->n_sites))
		return -ENOMEM;
	if (f->file && !(s.file = strdup(f->file)))
		return -ENOMEM;
	r->out->sites[r->out->n_sites++] = s;
	return idindex_add(&r->site_index, *id, site_hash(&s), site_rehash, r);
}

/* ---- places ---- */

/* A place in no module: its address is all there is to say. */
static void nameless(const struct profile_place *place, char name[32], struct sym_frame *f)
{
	snprintf(name, 32, "0x%llx", (unsigned long long)place->address);
	*f = (struct sym_frame){ .name = name, .linkage = name, .function_key = place->address,
				 .address = place->address };
}

static int resolve_place(struct resolver *r, uint32_t id)
{
	const struct profile_place *place = &r->p->places[id];
	struct place_sites *ps = &r->places[id];
	struct sym_frame anonymous;
	struct sym_frames frames = { &anonymous, 1 };
	char name[32];
	int err = 0;

	if (place->module == PD_NONE)
		nameless(place, name, &anonymous);
	else
		err = symbols_lookup(r->symbols, (int)place->module, place->address, !place->exact,
				     &frames);
	ps->first = (uint32_t)r->n_run;
	if (!err && place->module != PD_NONE)
		ps->start = start_code_of(&r->start_names, place->module, place->module == r->program,
					  &frames.frames[0]);
	for (size_t i = 0; !err && i < frames.n; i++) {
		if (ARRAY_RESERVE(&r->run, &r->cap_run, r->n_run))
			return -ENOMEM;
		err = site_of(r, place->module, &frames.frames[i], place->address,
			      &r->run[r->n_run++]);
		ps->n++;
	}
	return err;
}

static int resolve_places(struct resolver *r)
{
	int err = 0;

	r->places = calloc(r->p->n_places + 1, sizeof *r->places);
	if (!r->places)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < r->p->n_places; i++)
		err = resolve_place(r, i);
	return err;
}

/* ---- the tree ---- */

static bool node_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_node *a = &((const struct resolver *)owner)->out->nodes[id], *b = key;

	return a->parent == b->parent && a->site == b->site;
}

static uint64_t node_hash(const struct pd_node *n)
{
	return hash_mix((uint64_t)n->parent << 32 | n->site);
}

static uint64_t node_rehash(const void *owner, uint32_t id)
{
	return node_hash(&((const struct resolver *)owner)->out->nodes[id]);
}

static uint32_t node_below(struct resolver *r, uint32_t parent, uint32_t site)
{
	struct pd_node key = { .parent = parent, .site = site };
	uint32_t id = idindex_find(&r->node_index, node_hash(&key), node_eq, r, &key);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)r->out->n_nodes;
	if (ARRAY_RESERVE(&r->out->nodes, &r->cap_nodes, r->out->n_nodes))
		return IDINDEX_NONE;
	r->out->nodes[r->out->n_nodes++] = key;
	return idindex_add(&r->node_index, id, node_hash(&key), node_rehash, r) ? IDINDEX_NONE : id;
}

/* The node for place @frame below @parent: one further down for each function that is there. */
static uint32_t descend(struct resolver *r, uint32_t parent, uint32_t frame)
{
	const struct place_sites *ps = &r->places[frame];

	for (uint32_t i = 0; parent != IDINDEX_NONE && i < ps->n; i++)
		parent = node_below(r, parent, r->run[ps->first + i]);
	return parent;
}

/* How many elements of start code the chains through a node begin with; NOT_START: it is behind. */
#define NOT_START 0xff

static uint8_t start_depth(const struct resolver *r, const uint8_t *depth, const struct call_node *n,
			   uint32_t id)
{
	if (id < PD_FIRST_NODE)
		return 0;
	if (depth[n->parent] == NOT_START)
		return NOT_START;
	return start_code_at(r->places[n->frame].start, depth[n->parent]) ?
		       (uint8_t)(depth[n->parent] + 1) :
		       NOT_START;
}

static int resolve_nodes(struct resolver *r, uint32_t *to, uint8_t *depth)
{
	for (uint32_t i = 0; i < r->p->n_nodes; i++) {
		const struct call_node *n = &r->p->nodes[i];

		depth[i] = start_depth(r, depth, n, i);
		if (i < PD_FIRST_NODE)
			to[i] = i;
		else if (depth[i] != NOT_START)
			to[i] = to[n->parent];
		else
			to[i] = descend(r, to[n->parent], n->frame);
		if (to[i] == IDINDEX_NONE)
			return -ENOMEM;
		r->out->nodes[to[i]].resumed += n->resumed;
	}
	return 0;
}

static int compare_leaves(const void *a, const void *b)
{
	const struct pd_leaf *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static void merge_leaves(struct profile_data *d)
{
	size_t kept = 0;

	qsort(d->leaves, d->n_leaves, sizeof *d->leaves, compare_leaves);
	for (size_t i = 0; i < d->n_leaves; i++) {
		if (kept && !compare_leaves(&d->leaves[kept - 1], &d->leaves[i])) {
			d->leaves[kept - 1].allocs += d->leaves[i].allocs;
			d->leaves[kept - 1].frees += d->leaves[i].frees;
		} else {
			d->leaves[kept++] = d->leaves[i];
		}
	}
	d->n_leaves = kept;
}

static int resolve_leaves(struct resolver *r, const uint32_t *to, const uint8_t *depth)
{
	struct profile_data *d = r->out;

	d->leaves = calloc(r->p->n_leaves + 1, sizeof *d->leaves);
	if (!d->leaves)
		return -ENOMEM;
	for (size_t i = 0; i < r->p->n_leaves; i++) {
		const struct call_leaf *l = &r->p->leaves[i];
		uint32_t node = to[l->node];

		/* Start code that allocates by itself stands for itself. */
		if (l->node >= PD_FIRST_NODE && depth[l->node] != NOT_START)
			node = descend(r, to[l->node], r->p->nodes[l->node].frame);
		if (node == IDINDEX_NONE)
			return -ENOMEM;
		d->leaves[d->n_leaves++] = (struct pd_leaf){ node, l->size, l->allocs, l->frees };
	}
	merge_leaves(d);
	return 0;
}

static int resolve_tree(struct resolver *r)
{
	uint32_t *to = calloc(r->p->n_nodes, sizeof *to);
	uint8_t *depth = calloc(r->p->n_nodes, sizeof *depth);
	int err = to && depth ? 0 : -ENOMEM;

	r->cap_nodes = r->out->n_nodes;
	if (!err)
		err = resolve_nodes(r, to, depth);
	if (!err)
		err = resolve_leaves(r, to, depth);
	free(to);
	free(depth);
	return err;
}

/* ---- modules ---- */

static int resolve_modules(struct resolver *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int number = symbols_add_module(r->symbols, r->modules[i].path, r->modules[i].fd);
		if (number < 0)
			return number;
	}
	return 0;
}

static int describe_modules(struct resolver *r, size_t n)
{
	struct profile_data *d = r->out;

	d->modules = calloc(n + 1, sizeof *d->modules);
	if (!d->modules)
		return -ENOMEM;
	for (; d->n_modules < n; d->n_modules++) {
		struct pd_module *m = &d->modules[d->n_modules];

		m->path = strdup(r->modules[d->n_modules].path);
		m->build_id = strdup(symbols_build_id(r->symbols, (int)d->n_modules));
		m->names = strdup(symbols_source(r->symbols, (int)d->n_modules));
		if (!m->path || !m->build_id || !m->names) {
			d->n_modules++; /* what it has is freed with the others */
			return -ENOMEM;
		}
	}
	return 0;
}

static void resolver_release(struct resolver *r)
{
	symbols_free(r->symbols);
	free(r->function_keys);
	idindex_release(&r->function_index);
	idindex_release(&r->site_index);
	idindex_release(&r->node_index);
	free(r->places);
	free(r->run);
}

int resolve_profile(const struct profile *p, const struct resolve_module *modules, size_t n_modules,
		    uint32_t program, struct profile_data *out)
{
	struct resolver r = { .p = p, .modules = modules, .program = program, .out = out };
	int err = -ENOMEM;

	r.symbols = symbols_new();
	if (!r.symbols)
		goto out;
	out->totals = p->totals;
	out->memory = profile_memory(p);
	err = resolve_modules(&r, n_modules);
	if (err)
		goto out;
	start_names_init(&r.start_names, modules, n_modules, program);
	err = resolve_places(&r);
	if (!err)
		err = resolve_tree(&r);
	if (!err)
		err = resolve_types(r.symbols, program, out);
	if (!err)
		err = describe_modules(&r, n_modules);
out:
	resolver_release(&r);
	return err;
}
