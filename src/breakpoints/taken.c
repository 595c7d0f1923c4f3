/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions the engine sees, and whether they are enough. */
#include "breakpoints/watch_internal.h"

#include "probes/outcome.h"

#include <string.h>

const struct engine_function *watch_taken(const struct watch *w, taddr at)
{
	for (size_t i = 0; i < w->n_taken; i++)
		if (w->taken[i].at == at)
			return &w->taken[i];
	return NULL;
}

bool watch_is_taken(const struct watch *w, taddr at)
{
	return watch_taken(w, at);
}

void watch_forget_taken(struct watch *w, taddr start, taddr end, bool copied)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_taken; i++) {
		const taddr at = w->taken[i].at;

		if (at < start || at >= end ||
		    (copied && w->shared->engine->has_jump(w->engine, at)))
			w->taken[n++] = w->taken[i];
	}
	w->n_taken = n;
}

void watch_decline(struct watch *w, taddr at, const char *why)
{
	const struct engine_function *taken = watch_taken(w, at);

	if (!taken)
		return;
	const struct engine_function f = *taken;
	watch_forget_taken(w, at, at + 1, false);
	if (watch_note_left(w, &f, why) || watch_plant(w, f.at, BREAKPOINT_ENTRY, f.file, f.number))
		w->counts.lost++;
}

/* ---- are they enough ---- */

static bool frees_block(const struct probe *p)
{
	return p->kind == PROBE_FREE;
}

static bool sees_any(const struct watch *w, bool (*does)(const struct probe *))
{
	for (size_t i = 0; i < w->n_taken; i++)
		if (does(w->taken[i].probe))
			return true;
	return false;
}

bool watch_sees_blocks(const struct watch *w)
{
	return sees_any(w, probe_gives_block) && sees_any(w, frees_block);
}

/* The function to name if they are not: the first trapped one that does what is missing, or any
 * trapped one. */
static const struct left_function *what_is_missing(const struct watch *w)
{
	bool (*does)(const struct probe *) =
		sees_any(w, probe_gives_block) ? frees_block : probe_gives_block;

	for (size_t i = 0; i < w->n_left; i++)
		if (does(watch_probe(w, w->left[i].number)))
			return &w->left[i];
	return &w->left[0];
}

/* Is it the dynamic linker's file? */
static bool is_linkers(const struct watch *w, uint32_t file)
{
	for (size_t i = 0; i < w->breakpoints.n; i++) {
		const struct breakpoint *bp = &w->breakpoints.v[i];
		const struct mapping *m = mappings_find(&w->maps, bp->at);

		if (bp->roles & BREAKPOINT_RENDEZVOUS && m && m->file == file)
			return true;
	}
	return false;
}

/* Is nothing mapped yet but the program and its dynamic linker? */
static bool has_just_begun(const struct watch *w)
{
	bool linked = false;

	for (size_t i = 0; i < w->maps.n; i++) {
		const uint32_t file = w->maps.maps[i].file;

		/* Skip the program itself, which in a static program has the linker's breakpoint;
		 * and the vdso, which has no file. */
		if (file == w->program || !w->shared->files.files[file].ino)
			continue;
		if (!is_linkers(w, file))
			return false;
		linked = true;
	}
	return linked;
}

const struct left_function *watch_misses(const struct watch *w)
{
	if (!w->n_left || watch_sees_blocks(w) || has_just_begun(w))
		return NULL;
	return what_is_missing(w);
}
