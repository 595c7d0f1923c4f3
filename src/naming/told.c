/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/told.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void told_release(struct told_names *t)
{
	free(t->places);
	idindex_release(&t->index);
	free(t->frames);
	free(t->functions);
	idindex_release(&t->by_function);
	free(t->files);
	strpool_release(&t->strings);
	*t = (struct told_names){ 0 };
}

/* ---- places ---- */

static uint64_t place_hash(const struct profile_place *p)
{
	return hash_mix(p->address ^ (uint64_t)p->module << 40 ^ p->exact);
}

static bool place_eq(const void *owner, uint32_t id, const void *key)
{
	const struct told_names *t = owner;
	const struct profile_place *a = &t->places[id].place, *b = key;

	return a->address == b->address && a->module == b->module && a->exact == b->exact;
}

static uint64_t place_rehash(const void *owner, uint32_t id)
{
	return place_hash(&((const struct told_names *)owner)->places[id].place);
}

/* NULL: out of memory. */
static struct told_place *place_of(struct told_names *t, const struct profile_place *place)
{
	uint32_t id = idindex_find(&t->index, place_hash(place), place_eq, t, place);

	if (id != IDINDEX_NONE)
		return &t->places[id];
	if (ARRAY_RESERVE(&t->places, &t->cap, t->n))
		return NULL;
	t->places[t->n] = (struct told_place){ .place = *place };
	if (idindex_add(&t->index, (uint32_t)t->n, place_hash(place), place_rehash, t))
		return NULL;
	return &t->places[t->n++];
}

void told_forget_outside(struct told_names *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->places[i].place.module == PD_NONE)
			t->places[i].n = 0;
}

bool told_look(const struct told_names *t, const struct profile_place *place,
	       struct sym_frames *out)
{
	uint32_t id = idindex_find(&t->index, place_hash(place), place_eq, t, place);

	if (id == IDINDEX_NONE || !t->places[id].n)
		return false;
	*out = (struct sym_frames){ t->frames + t->places[id].first, t->places[id].n };
	return true;
}

/* ---- functions ---- */

static uint64_t function_hash(const struct told_function *f)
{
	return hash_mix(f->address ^ (uintptr_t)f->name ^ (uint64_t)f->module << 48);
}

/* Equal strings in the pool are equal pointers. */
static bool function_eq(const void *owner, uint32_t id, const void *key)
{
	const struct told_names *t = owner;
	const struct told_function *a = &t->functions[id], *b = key;

	return a->name == b->name && a->linkage == b->linkage && a->address == b->address &&
	       a->module == b->module;
}

static uint64_t function_rehash(const void *owner, uint32_t id)
{
	return function_hash(&((const struct told_names *)owner)->functions[id]);
}

/* IDINDEX_NONE: out of memory. */
static uint32_t function_of(struct told_names *t, const struct told_function *f)
{
	uint32_t id = idindex_find(&t->by_function, function_hash(f), function_eq, t, f);

	if (id != IDINDEX_NONE)
		return id;
	if (ARRAY_RESERVE(&t->functions, &t->cap_functions, t->n_functions))
		return IDINDEX_NONE;
	id = (uint32_t)t->n_functions;
	t->functions[id] = *f;
	if (idindex_add(&t->by_function, id, function_hash(f), function_rehash, t))
		return IDINDEX_NONE;
	t->n_functions++;
	return id;
}

static int add_frame(struct told_names *t, uint32_t module, const struct sym_frame *f)
{
	struct sym_frame own = *f;

	own.name = strpool_add(&t->strings, f->name, NULL);
	own.linkage = f->linkage == f->name ? own.name : strpool_add(&t->strings, f->linkage, NULL);
	own.file = f->file ? strpool_add(&t->strings, f->file, NULL) : NULL;
	if (!own.name || !own.linkage || (f->file && !own.file) ||
	    ARRAY_RESERVE(&t->frames, &t->cap_frames, t->n_frames))
		return -ENOMEM;
	const struct told_function fn = { own.name, own.linkage, f->address, module };
	uint32_t key = function_of(t, &fn);

	own.function_key = key;
	t->frames[t->n_frames++] = own;
	return key == IDINDEX_NONE ? -ENOMEM : 0;
}

int told_add(struct told_names *t, const struct profile_place *place, const struct sym_frame *f,
	     size_t n)
{
	const uint32_t first = (uint32_t)t->n_frames;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = add_frame(t, place->module, &f[i]);
	struct told_place *p = err ? NULL : place_of(t, place);

	if (!p)
		return -ENOMEM;
	p->first = first;
	p->n = (uint32_t)n;
	return 0;
}

/* ---- modules ---- */

/* NULL: out of memory. */
static struct told_file *file_of(struct told_names *t, uint32_t module)
{
	while (t->n_files <= module) {
		if (ARRAY_RESERVE(&t->files, &t->cap_files, t->n_files))
			return NULL;
		t->files[t->n_files++] = (struct told_file){ "", "", false };
	}
	return &t->files[module];
}

int told_set_module(struct told_names *t, uint32_t module, const char *build_id, const char *names)
{
	struct told_file *f = file_of(t, module);
	const char *id = strpool_add(&t->strings, build_id, NULL),
		   *text = strpool_add(&t->strings, names, NULL);

	if (!f || !id || !text)
		return -ENOMEM;
	f->build_id = *id ? id : f->build_id;
	f->names = *text ? text : f->names;
	return 0;
}

int told_leave_out(struct told_names *t, uint32_t module)
{
	struct told_file *f = file_of(t, module);

	if (!f)
		return -ENOMEM;
	f->left_out = true;
	return 0;
}

struct told_file told_module(const struct told_names *t, uint32_t module)
{
	return module < t->n_files ? t->files[module] : (struct told_file){ "", "", false };
}
