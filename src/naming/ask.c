/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking for places: as a profile whose chains have one place each, and are not trimmed. */
#include "naming/apart.h"

#include "base/array.h"
#include "naming/kept.h"
#include "naming/places.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

struct asking {
	struct namer *namer;
	struct profile_place *places;
	size_t n, cap;
	struct profile p;	/* of the places */
	uint32_t *nodes;	/* by place: its node in the answer */
	bool *left_out;		/* by module */
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
	for (size_t i = 0; i < n; i++) {
		if ((used && !used[i]) || !is_wanted(a, how, &places[i]))
			continue;
		if (ARRAY_RESERVE(&a->places, &a->cap, a->n))
			return -ENOMEM;
		a->places[a->n++] = places[i];
	}
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

	for (size_t i = 0; !err && i < a->n; i++)
		if (is_named(d, &a->places[i], a->nodes[i]))
			err = take_place(a->namer, d, &a->places[i], a->nodes[i]);
	for (uint32_t i = 0; !err && i < d->n_modules; i++) {
		if (told_module(t, i).left_out)
			continue;
		err = told_set_module(t, i, d->modules[i].build_id, d->modules[i].names);
		if (!err && a->left_out[i])
			err = told_leave_out(t, i);
	}
	return err;
}

/* With a process for this question alone. */
static int ask_new(struct asking *a, const struct namer_asks *how, struct profile_data **d)
{
	struct resolve_module *files = calloc(how->n_files + 1, sizeof *files);
	const struct resolve_how plain = { .search = how->search, .jit_map = how->jit_map,
					   .leaf_nodes = a->nodes, .left_out = a->left_out,
					   .no_types = true, .no_trim = true };

	if (!files)
		return -ENOMEM;
	for (uint32_t i = 0; i < how->n_files; i++) {
		files[i] = how->files[i];
		if (told_module(&a->namer->told, i).left_out)
			files[i].fd = -1;
	}
	int err = resolve_profile_apart(&plain, &a->p, files, how->n_files, PD_NONE, how->say, d);

	free(files);
	return err;
}

static int ask(struct asking *a, const struct namer_asks *how)
{
	struct profile_data *d = NULL;
	int err = places_profile(&a->p, a->places, a->n);

	a->nodes = calloc(a->n + 1, sizeof *a->nodes);
	a->left_out = calloc(how->n_files + 1, sizeof *a->left_out);
	if (!a->nodes || !a->left_out)
		err = -ENOMEM;
	if (!err && how->kept && how->jit_map < 0)
		err = resolve_kept_ask(how->kept, &a->p, how->files, how->n_files, a->nodes,
				       a->left_out, &d);
	else if (!err)
		err = ask_new(a, how, &d);
	err = err ? err : take(a, d);
	profile_data_free(d);
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
	if (!err && a.n)
		err = ask(&a, how);
	places_profile_release(&a.p);
	free(a.places);
	free(a.nodes);
	free(a.left_out);
	return err;
}
