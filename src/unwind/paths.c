/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/paths.h"

#include "base/array.h"
#include "base/idindex.h"

#include <stdlib.h>
#include <string.h>

static void path_release(struct path *path)
{
	free(path->words);
	free(path->frames);
	free(path->numbers);
}

void paths_release(struct paths *p)
{
	for (size_t i = 0; i < PATH_SETS; i++)
		for (size_t k = 0; k < PATH_WAYS; k++)
			path_release(&p->v[i][k]);
	path_release(&p->next);
	*p = (struct paths){ 0 };
}

void paths_forget(struct paths *p)
{
	for (size_t i = 0; i < PATH_SETS; i++)
		for (size_t k = 0; k < PATH_WAYS; k++)
			p->v[i][k].n_frames = p->v[i][k].credit = 0;
}

struct path *paths_at(struct paths *p, taddr pc, taddr sp)
{
	return p->v[hash_mix(pc * 0x9e3779b97f4a7c15ull + sp) & (PATH_SETS - 1)];
}

struct path *paths_make_room(struct paths *p, struct path *set)
{
	struct path *least = set;

	for (size_t i = 1; i < PATH_WAYS; i++)
		if (set[i].credit < least->credit)
			least = &set[i];
	if (least->credit) {
		least->credit--;
		return NULL;
	}
	p->next.n_words = 0;
	p->next.consulted = 0;
	return least;
}

bool path_needs_word(struct path *path, taddr at, uint64_t value)
{
	if (ARRAY_RESERVE(&path->words, &path->cap_words, path->n_words))
		return false;
	path->words[path->n_words++] = (struct step_word){ at, value };
	return true;
}

void path_needs_reg(struct path *path, unsigned reg, uint64_t value)
{
	path->consulted |= 1u << reg;
	path->regs[reg] = value;
}

bool path_take(struct paths *p, struct path *path, taddr pc, taddr sp,
	       const struct unwind_frame *frames, size_t n)
{
	struct path *next = &p->next;

	while (n <= PATH_MAX_FRAMES && next->cap_frames < n)
		if (ARRAY_RESERVE(&next->frames, &next->cap_frames, next->cap_frames))
			return false;
	if (n > PATH_MAX_FRAMES)
		return false;
	memcpy(next->frames, frames, n * sizeof *frames);
	next->n_frames = n;
	next->pc = pc;
	next->sp = sp;
	next->numbered = false;
	next->credit = 1;
	/* The replaced one's memory is reused for the next. */
	struct path was = *path;
	*path = *next;
	*next = was;
	return true;
}

void path_number(struct path *path, const uint32_t *numbers, size_t n)
{
	while (path->cap_numbers < n)
		if (ARRAY_RESERVE(&path->numbers, &path->cap_numbers, path->cap_numbers))
			return;
	if (n)
		memcpy(path->numbers, numbers, n * sizeof *numbers);
	path->n_numbers = n;
	path->numbered = true;
}
