/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/resolve_internal.h"

#include "base/array.h"
#include "naming/resolve_types.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- functions and sites ---- */

static bool function_eq(const void *owner, uint32_t id, const void *key)
{
	const struct function_key *a = &((const struct resolver *)owner)->function_keys[id],
				  *b = key;

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
	const char *linkage = f->linkage && strcmp(f->linkage, f->name) ? f->linkage : NULL;
	struct pd_function fn = { .module = key.module, .address = f->address };
	size_t n = r->out->n_functions;

	if (ARRAY_RESERVE(&r->out->functions, &r->cap_functions, n) ||
	    ARRAY_RESERVE(&r->function_keys, &r->cap_keys, n))
		return -ENOMEM;
	fn.name = strdup(f->name);
	if (!fn.name)
		return -ENOMEM;
	if (linkage && !(fn.linkage = strdup(linkage))) {
		free(fn.name);
		return -ENOMEM;
	}
	r->function_keys[n] = key;
	r->out->functions[r->out->n_functions++] = fn;
	return idindex_add(&r->function_index, (uint32_t)n, function_hash(&key), function_rehash,
			   r);
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

/* The same function at the same address and line; inlined functions share the address. */
static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_site *a = &((const struct resolver *)owner)->out->sites[id], *b = key;

	return a->function == b->function && a->address == b->address && a->offset == b->offset &&
	       a->line == b->line && a->inlined == b->inlined && a->exact == b->exact &&
	       a->guessed == b->guessed;
}

static uint64_t site_hash(const struct pd_site *s)
{
	return hash_mix(s->address ^ (uint64_t)s->function << 32 ^ (uint64_t)s->line << 8);
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return site_hash(&((const struct resolver *)owner)->out->sites[id]);
}

static int site_of(struct resolver *r, const struct profile_place *place, const struct sym_frame *f,
		   uint32_t *id)
{
	struct pd_site s = { .address = place->address,
			     .offset = f->offset,
			     .line = f->line,
			     .inlined = f->inlined,
			     .exact = place->exact,
			     .guessed = place->guessed };
	int err = function_of(r, place->module, f, &s.function);

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

/* A site of the profile that is named again, as a frame. */
static void as_before(const struct profile_data *old, uint32_t site, struct sym_frame *f)
{
	const struct pd_site *s = &old->sites[site];
	const struct pd_function *fn = &old->functions[s->function];

	*f = (struct sym_frame){ .name = fn->name,
				 .linkage = fn->linkage ? fn->linkage : fn->name,
				 .function_key = s->function,
				 .address = fn->address,
				 .offset = s->offset,
				 .file = s->file,
				 .line = s->line,
				 .inlined = s->inlined };
}

static int resolve_place(struct resolver *r, uint32_t id)
{
	const struct profile_place *place = &r->p->places[id];
	struct place_sites *ps = &r->places[id];
	struct sym_frame only;
	struct sym_frames frames = { &only, 1 };
	int err = 0;

	if (r->how->old && r->how->old_site[id] != PD_NONE)
		as_before(r->how->old, r->how->old_site[id], &only);
	else
		err = namer_look(&r->namer, place, &r->jit, &frames);
	ps->first = (uint32_t)r->n_run;
	/* A profile that had names has been trimmed already. */
	if (!err && place->module != PD_NONE && !r->how->old && !r->how->no_trim)
		ps->start = start_code_of(&r->start_names, place->module,
					  place->module == r->program, &frames.frames[0]);
	for (size_t i = 0; !err && i < frames.n; i++) {
		if (ARRAY_RESERVE(&r->run, &r->cap_run, r->n_run))
			return -ENOMEM;
		err = site_of(r, place, &frames.frames[i], &r->run[r->n_run++]);
		ps->n++;
	}
	return err;
}

static int find_used(struct resolver *r)
{
	const struct profile *p = r->p;

	r->node_used = calloc(p->n_nodes, sizeof *r->node_used);
	r->place_used = calloc(p->n_places + 1, sizeof *r->place_used);
	if (!r->node_used || !r->place_used)
		return -ENOMEM;
	r->node_used[PD_ROOT_WHOLE] = r->node_used[PD_ROOT_TRUNCATED] = true;
	for (size_t i = 0; i < p->n_leaves; i++)
		r->node_used[p->leaves[i].node] |= p->leaves[i].allocs != 0;
	for (size_t i = p->n_nodes; i-- > PD_FIRST_NODE;) {
		r->node_used[p->nodes[i].parent] |= r->node_used[i];
		r->place_used[p->nodes[i].frame] |= r->node_used[i];
	}
	return 0;
}

static int resolve_places(struct resolver *r)
{
	int err = find_used(r);

	if (err)
		return err;

	r->places = calloc(r->p->n_places + 1, sizeof *r->places);
	if (!r->places)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < r->p->n_places; i++)
		if (r->place_used[i])
			err = resolve_place(r, i);
	return err;
}

/* ---- code that the program generated ---- */

static void tell_cut(const struct symbols_outside *outside, int fd)
{
	char way[32], path[PATH_MAX];
	struct error e;

	/* In a confined process only the descriptor has the path. */
	snprintf(way, sizeof way, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(way, path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	error_set(&e, 0,
		  "the names in %s are not complete: no more than %u MiB of it are read, "
		  "and %u lines",
		  *path ? path : "a perf map", PERFMAP_MIB_MAX, PERFMAP_ENTRIES_MAX);
	outside->say(e.text);
}

static int read_map(struct resolver *r)
{
	const struct symbols_outside *outside = r->how->search.outside;
	int err = r->how->jit_map < 0 ? 0 : perfmap_read(&r->jit, r->how->jit_map);

	if (r->jit.cut && outside)
		tell_cut(outside, r->how->jit_map);
	return err;
}

/* ---- modules ---- */

static int resolve_modules(struct resolver *r, size_t n)
{
	for (size_t i = r->namer.n; i < n; i++) {
		int number = namer_add_module(&r->namer, r->modules[i].path, r->modules[i].fd);
		if (number < 0)
			return number;
	}
	return 0;
}

static int describe(struct resolver *r, uint32_t i, bool used, struct pd_module *m)
{
	m->path = strdup(r->modules[i].path);
	m->build_id = strdup(namer_build_id(&r->namer, i));
	m->names = strdup(used ? namer_source(&r->namer, i) : "");
	return m->path && m->build_id && m->names ? 0 : -ENOMEM;
}

static int describe_modules(struct resolver *r, size_t n)
{
	struct profile_data *d = r->out;

	d->modules = calloc(n + 1, sizeof *d->modules);
	if (!d->modules)
		return -ENOMEM;
	d->n_modules = n;
	bool *used = profile_data_modules_used(d);
	int err = used ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < n; i++)
		err = describe(r, i, used[i], &d->modules[i]);
	free(used);
	return err;
}

static void resolver_release(struct resolver *r)
{
	if (r->how->namer)
		*r->how->namer = r->namer;
	else
		namer_release(&r->namer);
	free(r->function_keys);
	idindex_release(&r->function_index);
	idindex_release(&r->site_index);
	perfmap_release(&r->jit);
	free(r->node_used);
	free(r->place_used);
	free(r->start_depth);
	free(r->places);
	free(r->run);
}

int resolve_profile_by(const struct resolve_how *how, const struct profile *p,
		       const struct resolve_module *modules, size_t n_modules, uint32_t program,
		       struct profile_data *out)
{
	struct resolver r = { .p = p, .modules = modules, .program = program, .how = how,
			      .out = out,
			      .tree = { .d = out } };
	int err = 0;

	if (how->namer)
		r.namer = *how->namer;
	else
		err = namer_init(&r.namer, &how->search);
	if (err)
		goto out;
	out->totals = p->totals;
	out->load = p->load;
	out->memory = profile_memory(p);
	out->spared = p->spared;
	if (!p->totals.truncated_cut)
		out->spared.depth = 0;
	out->program = program;
	err = resolve_modules(&r, n_modules);
	err = err ? err : read_map(&r);
	if (err)
		goto out;
	start_names_init(&r.start_names, modules, n_modules, program);
	err = resolve_places(&r);
	if (!err)
		err = resolve_tree(&r);
	if (!err && !how->no_types)
		err = resolve_types(r.namer.symbols, program, how->old, out);
	if (!err)
		err = describe_modules(&r, n_modules);
	if (!err)
		err = resolve_series(&r);
out:
	resolver_release(&r);
	return err;
}

int resolve_profile(const struct profile *p, const struct resolve_module *modules, size_t n_modules,
		    uint32_t program, struct profile_data *out)
{
	return resolve_profile_by(&RESOLVE_PLAINLY, p, modules, n_modules, program, out);
}
