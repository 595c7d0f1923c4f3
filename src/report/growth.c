/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/growth.h"

#include "base/array.h"
#include "base/modulename.h"
#include "base/text.h"
#include "report/bins.h"
#include "report/leaks.h"
#include "profile/own_code.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void growth_release(struct growth *g)
{
	free(g->functions);
	free(g->of_now);
	free(g->of_base);
	idindex_release(&g->function_index);
	free(g->sites);
	idindex_release(&g->site_index);
	stack_table_release(&g->sizes);
	stack_table_release(&g->paths);
	stack_table_release(&g->direct);
	stack_table_release(&g->all);
	stack_table_release(&g->arcs);
	stack_table_release(&g->runtime);
	*g = (struct growth){ 0 };
}

/* ---- the modules of both ---- */

struct both_modules {
	struct module_name *now_names, *base_names;
	uint32_t *now, *base;	/* numbers: those of @now_names, followed by those of @base_names */
};

static void both_modules_release(struct both_modules *m)
{
	free(m->now_names);
	free(m->base_names);
	free(m->now);
	free(m->base);
}

static struct module_name *names_of_modules(const struct profile_data *d)
{
	struct module_name *names = calloc(d->n_modules + 1, sizeof *names);

	for (uint32_t i = 0; names && i < d->n_modules; i++)
		names[i] = (struct module_name){ d->modules[i].path, d->modules[i].build_id,
						 i == d->program };
	return names;
}

/* The first module of the same profile that is the same file, or a copy of it. */
static uint32_t first_like(const struct module_name *names, uint32_t i)
{
	uint32_t k = 0;

	while (k < i && modules_compare(&names[k], &names[i]) < MODULES_OF_PATH)
		k++;
	return k;
}

static int both_modules_find(struct both_modules *m, const struct profile_data *now,
			     const struct profile_data *base)
{
	*m = (struct both_modules){
		.now_names = names_of_modules(now),
		.base_names = names_of_modules(base),
		.now = malloc((now->n_modules + 1) * sizeof *m->now),
		.base = malloc((base->n_modules + 1) * sizeof *m->base),
	};
	if (!m->now_names || !m->base_names || !m->now || !m->base ||
	    modules_pair(m->base_names, base->n_modules, m->now_names, now->n_modules, m->base))
		return -ENOMEM;
	for (uint32_t i = 0; i < now->n_modules; i++)
		m->now[i] = first_like(m->now_names, i);
	for (uint32_t i = 0; i < base->n_modules; i++)
		m->base[i] = m->base[i] != MODULE_UNPAIRED ?
				     m->now[m->base[i]] :
				     (uint32_t)now->n_modules + first_like(m->base_names, i);
	return 0;
}

/* ---- the functions of both ---- */

static bool function_eq(const void *owner, uint32_t id, const void *key)
{
	const struct growth_function *a = &((const struct growth *)owner)->functions[id], *b = key;

	if (a->module != b->module || strcmp(a->name, b->name))
		return false;
	bool known = *a->build_id && *b->build_id;
	bool same_build = known && !strcmp(a->build_id, b->build_id);
	/* libx.so+0x1234 is any code in another build. */
	if (known && !same_build && names_is_nameless(a->name))
		return false;
	/* A function that occurs only inlined has no address. */
	return !same_build || !a->address || !b->address || a->address == b->address;
}

static uint64_t function_hash(const struct growth_function *f)
{
	return hash_text(0, f->name);
}

static uint64_t function_rehash(const void *owner, uint32_t id)
{
	return function_hash(&((const struct growth *)owner)->functions[id]);
}

/* @module: from numbers of @d's modules to those of both. */
static int add_function(struct growth *g, const struct profile_data *d, const uint32_t *module,
			uint32_t i, uint64_t *number)
{
	struct growth_function f = { names_text(d, i), "", PD_NONE, 0 };

	if (i < d->n_functions && d->functions[i].module != PD_NONE) {
		f.module = module[d->functions[i].module];
		f.build_id = d->modules[d->functions[i].module].build_id;
		f.address = d->functions[i].address;
	}
	uint64_t hash = function_hash(&f);
	uint32_t id = idindex_find(&g->function_index, hash, function_eq, g, &f);
	*number = id;
	if (id != IDINDEX_NONE)
		return 0;
	*number = g->n_functions;
	if (ARRAY_RESERVE(&g->functions, &g->cap_functions, g->n_functions))
		return -ENOMEM;
	g->functions[g->n_functions] = f;
	return idindex_add(&g->function_index, (uint32_t)g->n_functions++, hash, function_rehash,
			   g);
}

/* ---- the sites of both ---- */

static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	const struct growth *g = owner;
	const struct growth_site *a = &g->sites[id], *b = key;

	if (a->function != b->function)
		return false;
	if (g->key == LEAKS_BY_SITE)
		return a->offset == b->offset;
	if (g->key == LEAKS_BY_FUNCTION)
		return true;
	return a->line == b->line && !a->file == !b->file &&
	       (!a->file || !strcmp(path_last(a->file), path_last(b->file)));
}

static uint64_t site_hash(const struct growth *g, const struct growth_site *s)
{
	uint64_t told = g->key == LEAKS_BY_SITE ? s->offset : g->key == LEAKS_BY_LINE ? s->line : 0;

	return hash_mix(s->function << 32 ^ told);
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return site_hash(owner, &((const struct growth *)owner)->sites[id]);
}

/* @number: from numbers of @d's functions to those of both.
 * @own: from own_code_holders(). */
static int add_site(struct growth *g, const struct profile_data *d, const uint64_t *number,
		    const bool *own, uint32_t i, uint64_t *site)
{
	struct growth_site s = { .function = number[names_function(d, i)], .own = own[i] };

	if (i < d->n_sites) {
		s.file = d->sites[i].file;
		s.line = s.file ? d->sites[i].line : 0;
		s.offset = d->sites[i].offset;
	}
	uint64_t hash = site_hash(g, &s);
	uint32_t id = idindex_find(&g->site_index, hash, site_eq, g, &s);
	*site = id;
	if (id != IDINDEX_NONE)
		return 0;
	*site = g->n_sites;
	if (ARRAY_RESERVE(&g->sites, &g->cap_sites, g->n_sites))
		return -ENOMEM;
	g->sites[g->n_sites] = s;
	return idindex_add(&g->site_index, (uint32_t)g->n_sites++, hash, site_rehash, g);
}

/* ---- one profile ---- */

struct adding {
	struct growth *g;
	const struct profile_data *d;
	int64_t sign;
	uint64_t *number;	/* by function of the profile: its number among those of both */
	uint64_t *site;		/* by site: the same; the last element is for empty chains */
	uint64_t *chain;	/* functions of the present leaf, innermost first */
	uint64_t *path;		/* is the path whole? Then its sites */
	size_t n, depth;	/* of the chain, and how many of these are the path */
	struct arc *arcs;	/* of the chain */
};

struct arc {
	uint64_t caller, callee;
};

static int values_of(const struct adding *a, const struct pd_leaf *l, int64_t value[HEAP_VALUES])
{
	int64_t size;

	if (l->size > INT64_MAX || l->allocs > INT64_MAX || l->frees > INT64_MAX)
		return -EOVERFLOW;
	size = (int64_t)l->size;
	value[GROWN_ALLOCS] = (int64_t)l->allocs * a->sign;
	value[GROWN_FREES] = (int64_t)l->frees * a->sign;
	if (__builtin_mul_overflow(value[GROWN_ALLOCS], size, &value[GROWN_BYTES]) ||
	    __builtin_mul_overflow(value[GROWN_FREES], size, &value[GROWN_FREED]))
		return -EOVERFLOW;
	return 0;
}

/* Fills in the chain of a leaf. Its path is the innermost five sites, and as many more as are
 * needed to reach own code. */
static void follow(struct adding *a, uint32_t node)
{
	uint64_t *sites = a->path + 1;
	bool own = false;

	a->n = a->depth = 0;
	for (; node >= PD_FIRST_NODE; node = a->d->nodes[node].parent) {
		uint32_t site = a->d->nodes[node].site;

		sites[a->n] = a->site[site < a->d->n_sites ? site : a->d->n_sites];
		a->chain[a->n] = a->number[names_function(a->d, site)];
		if (!own && a->g->sites[sites[a->n]].own) {
			own = true;
			a->depth = a->n + 1;
		}
		a->n++;
	}
	if (!a->n) {
		sites[0] = a->site[a->d->n_sites];
		a->chain[a->n++] = a->number[names_function(a->d, PD_NONE)];
	}
	if (a->depth < LEAKS_DEPTH)
		a->depth = a->n < LEAKS_DEPTH ? a->n : LEAKS_DEPTH;
	a->path[0] = node == PD_ROOT_WHOLE && a->depth == a->n;
}

static int compare_arcs(const void *left, const void *right)
{
	const struct arc *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Adds the functions and arcs of a chain, each once, whatever the recursion. */
static int add_chain(struct adding *a, const int64_t value[HEAP_VALUES])
{
	struct growth *g = a->g;
	int err = 0;

	/* The innermost function calls none: UINT64_MAX. */
	for (size_t i = 0; i < a->n; i++)
		a->arcs[i] = (struct arc){ a->chain[i], i ? a->chain[i - 1] : UINT64_MAX };
	qsort(a->arcs, a->n, sizeof *a->arcs, compare_arcs);
	for (size_t i = 0; !err && i < a->n; i++) {
		const struct arc *arc = &a->arcs[i];

		if (!i || arc->caller != arc[-1].caller)
			err = stack_table_add(&g->all, &arc->caller, 1, value);
		if (!err && arc->callee != UINT64_MAX && (!i || compare_arcs(arc - 1, arc)))
			err = stack_table_add(&g->arcs, (uint64_t[]){ arc->caller, arc->callee }, 2,
					      value);
	}
	return err;
}

/* To be called after follow() for the leaf. */
static int add_runtime(struct adding *a, const struct pd_leaf *l, const int64_t value[HEAP_VALUES])
{
	enum runtime_kind kind =
		l->allocs != l->frees ? runtime_kind_of(a->d, l) : RUNTIME_NONE;
	int64_t *kept = &a->g->runtime_kept[kind];

	if (kind == RUNTIME_NONE)
		return 0;
	*kept = stack_sum(*kept, growth_kept(value));
	return stack_table_add(&a->g->runtime, a->path, 1 + a->depth, value);
}

static int add_leaf(struct adding *a, const struct pd_leaf *l)
{
	struct growth *g = a->g;
	int64_t value[HEAP_VALUES];
	int err = values_of(a, l, value);

	if (err)
		return err;
	for (int v = 0; v < HEAP_VALUES; v++)
		if (__builtin_add_overflow(g->total[v], value[v], &g->total[v]))
			return -EOVERFLOW;
	follow(a, l->node);
	err = stack_table_add(&g->sizes, &l->size, 1, value);
	err = err ? err : stack_table_add(&g->paths, a->path, 1 + a->depth, value);
	err = err ? err : add_runtime(a, l, value);
	err = err ? err : stack_table_add(&g->direct, a->chain, 1, value);
	return err || g->no_graph ? err : add_chain(a, value);
}

/* *@number: by function of the profile its number among those of both; the caller frees it. */
static int add_profile(struct growth *g, const struct profile_data *d, const uint32_t *module,
		       int64_t sign, uint64_t **number)
{
	struct adding a = { .g = g, .d = d, .sign = sign };
	int err = -ENOMEM;

	a.number = *number = malloc(names_count(d) * sizeof *a.number);
	a.chain = malloc((d->n_nodes + 1) * sizeof *a.chain);
	a.path = malloc((d->n_nodes + 2) * sizeof *a.path);
	a.arcs = malloc((d->n_nodes + 1) * sizeof *a.arcs);
	a.site = malloc((d->n_sites + 1) * sizeof *a.site);
	bool *own = own_code_holders(d, NULL);

	if (a.number && a.chain && a.path && a.arcs && a.site && own)
		err = 0;
	for (uint32_t i = 0; !err && i < names_count(d); i++)
		err = add_function(g, d, module, i, &a.number[i]);
	for (uint32_t i = 0; !err && i <= d->n_sites; i++)
		err = add_site(g, d, a.number, own, i, &a.site[i]);
	for (size_t i = 0; !err && i < d->n_leaves; i++)
		err = add_leaf(&a, &d->leaves[i]);
	free(own);
	free(a.site);
	free(a.chain);
	free(a.path);
	free(a.arcs);
	return err;
}

/* @sign, @base_sign: of the values; 0: they do not count, but their rows are added. */
static int find(struct growth *g, const struct profile_data *now, int64_t sign,
		const struct profile_data *base, int64_t base_sign)
{
	struct both_modules m;

	int err = both_modules_find(&m, now, base);

	err = err ? err : add_profile(g, now, m.now, sign, &g->of_now);
	err = err ? err : add_profile(g, base, m.base, base_sign, &g->of_base);
	both_modules_release(&m);
	return err;
}

int growth_find(struct growth *g, enum leaks_key key, const struct profile_data *now,
		const struct profile_data *base)
{
	*g = (struct growth){ .key = key };
	return find(g, now, 1, base, -1);
}

int growth_sides_find(struct growth_sides *s, enum leaks_key key, const struct profile_data *now,
		      const struct profile_data *base)
{
	*s = (struct growth_sides){ .now = { .key = key, .no_graph = true },
				    .base = { .key = key, .no_graph = true } };
	int err = find(&s->now, now, 1, base, 0);

	return err ? err : find(&s->base, now, 0, base, 1);
}

void growth_sides_release(struct growth_sides *s)
{
	growth_release(&s->now);
	growth_release(&s->base);
}

const struct profile_data *growth_typed(const struct profile_data *now,
					const struct profile_data *base, uint64_t size)
{
	size_t i = bins_first_type(now, size);

	return i < now->n_types && now->types[i].size == size ? now : base;
}
