/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking for places: as a profile whose chains have one place each, and are not trimmed. */
#include "naming/apart.h"

#include "base/array.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

struct asking {
	struct namer *namer;
	struct profile p;	/* only what resolve_profile_by() reads */
	uint32_t *nodes;	/* by place: its node in the answer */
	bool *left_out;		/* by module */
	size_t cap_places;
};

static bool is_wanted(const struct asking *a, const struct namer_asks *how,
		      const struct profile_place *place)
{
	const bool inside = place->module < how->n_files;
	struct sym_frames f;

	return (inside ? !a->namer->symbols : how->jit_map >= 0) &&
	       !told_look(&a->namer->told, place, &f);
}

static int list_places(struct asking *a, const struct namer_asks *how,
		       const struct profile_place *places, const bool *used, size_t n)
{
	struct profile *p = &a->p;

	for (size_t i = 0; i < n; i++) {
		if ((used && !used[i]) || !is_wanted(a, how, &places[i]))
			continue;
		if (ARRAY_RESERVE(&p->places, &a->cap_places, p->n_places))
			return -ENOMEM;
		p->places[p->n_places++] = places[i];
	}
	return 0;
}

/* Each place is a chain with one request of one byte, which was freed. */
static int make_chains(struct asking *a)
{
	struct profile *p = &a->p;
	const size_t n = p->n_places;

	p->nodes = calloc(n + PD_FIRST_NODE, sizeof *p->nodes);
	p->leaves = calloc(n, sizeof *p->leaves);
	a->nodes = calloc(n, sizeof *a->nodes);
	if (!p->nodes || !p->leaves || !a->nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < PD_FIRST_NODE; i++)
		p->nodes[i] = (struct call_node){ .parent = PD_NONE, .frame = PD_NONE };
	for (uint32_t i = 0; i < n; i++) {
		p->nodes[PD_FIRST_NODE + i] =
			(struct call_node){ .parent = PD_ROOT_WHOLE, .frame = i };
		p->leaves[i] = (struct call_leaf){ .size = 1, .allocs = 1, .frees = 1,
						   .node = PD_FIRST_NODE + i };
	}
	p->n_nodes = PD_FIRST_NODE + n;
	p->n_leaves = n;
	p->totals = (struct pd_totals){ .allocs = n, .alloc_bytes = n, .frees = n,
					.free_bytes = n };
	p->finished = true;
	return 0;
}

/* ---- the answer ---- */

static struct sym_frame frame_of(const struct profile_data *d, const struct pd_site *s)
{
	const struct pd_function *fn = &d->functions[s->function];

	return (struct sym_frame){ .name = fn->name,
				   .linkage = fn->linkage ? fn->linkage : fn->name,
				   .address = fn->address,
				   .offset = s->offset,
				   .file = s->file,
				   .line = s->line,
				   .inlined = s->inlined };
}

/* Stores the frames of a place: from its node outwards. */
static int take_place(struct namer *n, const struct profile_data *d,
		      const struct profile_place *place, uint32_t node)
{
	struct sym_frame *frames = NULL;
	size_t depth = 0, k = 0;

	for (uint32_t i = node; i >= PD_FIRST_NODE; i = d->nodes[i].parent)
		depth++;
	frames = calloc(depth + 1, sizeof *frames);
	if (!frames)
		return -ENOMEM;
	for (uint32_t i = node; i >= PD_FIRST_NODE; i = d->nodes[i].parent)
		frames[depth - ++k] = frame_of(d, &d->sites[d->nodes[i].site]);
	int err = told_add(&n->told, place, frames, depth);

	free(frames);
	return err;
}

/* A place without module and name has its address as name, so nothing needs to be stored. */
static bool is_named(const struct profile_data *d, const struct profile_place *place, uint32_t node)
{
	if (node == PD_NONE || node < PD_FIRST_NODE)
		return false;
	return place->module != PD_NONE ||
	       !names_nothing_names(d, d->sites[d->nodes[node].site].function);
}

static int take(struct asking *a, const struct profile_data *d)
{
	struct told_names *t = &a->namer->told;
	int err = 0;

	for (size_t i = 0; !err && i < a->p.n_places; i++)
		if (is_named(d, &a->p.places[i], a->nodes[i]))
			err = take_place(a->namer, d, &a->p.places[i], a->nodes[i]);
	for (uint32_t i = 0; !err && i < d->n_modules; i++) {
		if (told_module(t, i).left_out)
			continue;
		err = told_set_module(t, i, d->modules[i].build_id, d->modules[i].names);
		if (!err && a->left_out[i])
			err = told_leave_out(t, i);
	}
	return err;
}

static int ask(struct asking *a, const struct namer_asks *how)
{
	struct resolve_module *files = calloc(how->n_files + 1, sizeof *files);
	struct profile_data *d = NULL;

	a->left_out = calloc(how->n_files + 1, sizeof *a->left_out);
	const struct resolve_how plain = { .search = how->search, .jit_map = how->jit_map,
					   .leaf_nodes = a->nodes, .left_out = a->left_out,
					   .no_types = true, .no_trim = true };
	int err = files && a->left_out ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < how->n_files; i++) {
		files[i] = how->files[i];
		if (told_module(&a->namer->told, i).left_out)
			files[i].fd = -1;
	}
	if (!err)
		err = resolve_profile_apart(&plain, &a->p, files, how->n_files, PD_NONE, how->say,
					    &d);
	err = err ? err : take(a, d);
	profile_data_free(d);
	free(a->left_out);
	free(files);
	return err;
}

int namer_ask(struct namer *n, const struct namer_asks *how, const struct profile_place *places,
	      const bool *used, size_t n_places)
{
	struct asking a = { .namer = n };
	int err = 0;

	for (size_t i = n->n; !err && i < how->n_files; i++)
		err = namer_add_module(n, how->files[i].path, how->files[i].fd) < 0 ? -ENOMEM : 0;
	told_forget_outside(&n->told);
	err = err ? err : list_places(&a, how, places, used, n_places);
	if (!err && a.p.n_places)
		err = make_chains(&a);
	if (!err && a.p.n_places)
		err = ask(&a, how);
	free(a.p.places);
	free(a.p.nodes);
	free(a.p.leaves);
	free(a.nodes);
	return err;
}
