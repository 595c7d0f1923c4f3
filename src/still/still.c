/* SPDX-License-Identifier: BSD-2-Clause */
#include "still/still.h"

#include "base/array.h"
#include "base/search.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

void still_release(struct still *s)
{
	for (size_t i = 0; i < s->n_areas; i++)
		free(s->areas[i].name);
	free(s->areas);
	free(s->runs);
	free(s->tasks);
	free(s->words);
	*s = (struct still){0};
}

/* ---- areas ---- */

/* MAP_HUGETLB memory has an internal file, whose name ends in " (deleted)". */
static bool is_huge_memory(const struct proc_map *m)
{
	return text_begins(m->path, "/anon_hugepage");
}

static enum still_kind kind_of(const struct proc_map *m)
{
	if (m->shared)
		return STILL_SHARED;
	if (m->ino && !is_huge_memory(m))
		return STILL_FILE;
	if (!strcmp(m->path, "[heap]"))
		return STILL_HEAP;
	if (!strcmp(m->path, "[stack]"))
		return STILL_STACK;
	if (m->path[0] == '[' && !text_begins(m->path, "[anon:"))
		return STILL_KERNEL;
	return STILL_ANON;
}

static bool continues(const struct still_area *a, const struct proc_map *m)
{
	enum still_kind kind = kind_of(m);

	return a->end == m->start && a->kind == kind &&
	       (kind == STILL_ANON || kind == STILL_HEAP) && a->readable == m->readable &&
	       a->writable == m->writable && a->executable == m->executable &&
	       !strcmp(a->name, m->path);
}

int still_add_map(struct still *s, const struct proc_map *m)
{
	if (s->n_areas && continues(&s->areas[s->n_areas - 1], m)) {
		s->areas[s->n_areas - 1].end = m->end;
		return 0;
	}
	if (ARRAY_RESERVE(&s->areas, &s->cap_areas, s->n_areas))
		return -ENOMEM;
	char *name = strdup(m->path);
	if (!name)
		return -ENOMEM;
	s->areas[s->n_areas++] = (struct still_area){.start = m->start,
						     .end = m->end,
						     .kind = kind_of(m),
						     .readable = m->readable,
						     .writable = m->writable,
						     .executable = m->executable,
						     .name = name};
	return 0;
}

const struct still_area *still_area_at(const struct still *s, taddr at)
{
	size_t i = SEARCH_FIRST(s->n_areas, k, s->areas[k].end > at);

	return i < s->n_areas && s->areas[i].start <= at ? &s->areas[i] : NULL;
}

/* A module has at most so many areas. */
enum { AREAS_OF_MODULE = 16 };

/* Is the file of this area one that is executed? */
static bool is_of_module(const struct still *s, const struct still_area *a)
{
	for (int i = 0; i < AREAS_OF_MODULE && a - i >= s->areas; i++)
		if (a[-i].executable && a[-i].kind == STILL_FILE && !strcmp(a[-i].name, a->name))
			return true;
	return false;
}

/* In front of the bss the data may be all read-only after relocation. */
bool still_is_bss(const struct still *s, const struct still_area *a)
{
	return a > s->areas && a->kind == STILL_ANON && a[-1].kind == STILL_FILE &&
	       a[-1].end == a->start && (a[-1].writable || is_of_module(s, &a[-1]));
}

bool still_has_stack(const struct still *s, const struct still_area *a)
{
	for (size_t i = 0; i < s->n_tasks; i++)
		if (s->tasks[i].sp >= a->start && s->tasks[i].sp < a->end)
			return true;
	return false;
}

/* ---- pages ---- */

int still_add_run(struct still *s, taddr start, uint64_t size, const uint8_t *bytes)
{
	struct still_run *last = s->n_runs ? &s->runs[s->n_runs - 1] : NULL;

	if (last && last->start + last->size == start && last->bytes + last->size == bytes) {
		last->size += size;
		return 0;
	}
	if (ARRAY_RESERVE(&s->runs, &s->cap_runs, s->n_runs))
		return -ENOMEM;
	s->runs[s->n_runs++] = (struct still_run){start, size, bytes};
	return 0;
}

static int by_start(const void *left, const void *right)
{
	const struct still_run *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

void still_sort_runs(struct still *s)
{
	if (s->n_runs)
		qsort(s->runs, s->n_runs, sizeof *s->runs, by_start);
}

int still_add_task(struct still *s, const struct still_task *task)
{
	if (ARRAY_RESERVE(&s->tasks, &s->cap_tasks, s->n_tasks))
		return -ENOMEM;
	s->tasks[s->n_tasks++] = *task;
	return 0;
}

int still_add_word(struct still *s, uint64_t word)
{
	if (ARRAY_RESERVE(&s->words, &s->cap_words, s->n_words))
		return -ENOMEM;
	s->words[s->n_words++] = word;
	return 0;
}

size_t still_run_from(const struct still *s, taddr at)
{
	return SEARCH_FIRST(s->n_runs, i, s->runs[i].start + s->runs[i].size > at);
}

bool still_part(const struct still *s, size_t i, taddr start, taddr end, struct still_run *part)
{
	if (i >= s->n_runs || s->runs[i].start >= end)
		return false;
	const struct still_run *run = &s->runs[i];
	const taddr run_end = run->start + run->size;

	part->start = run->start > start ? run->start : start;
	part->size = (run_end < end ? run_end : end) - part->start;
	part->bytes = run->bytes + (part->start - run->start);
	return true;
}

taddr still_behind_hole(const struct still *s, taddr at, uint64_t step)
{
	size_t i = still_run_from(s, at);

	if (i == s->n_runs)
		return UINT64_MAX;
	return s->runs[i].start > at ? s->runs[i].start : at + step;
}

taddr still_page_up_to(const struct still *s, taddr at)
{
	size_t i = still_run_from(s, at);

	if (i == s->n_runs || s->runs[i].start > at) {
		if (!i)
			return 0;
		at = s->runs[i - 1].start + s->runs[i - 1].size - 1;
	}
	return at / STILL_PAGE * STILL_PAGE;
}

bool still_seek(struct still_reader *r, taddr at, uint64_t size)
{
	size_t i = still_run_from(r->still, at);

	if (i == r->still->n_runs)
		return false;
	const struct still_run *run = &r->still->runs[i];
	if (at < run->start || run->size < size || at - run->start > run->size - size)
		return false;
	r->start = run->start;
	r->size = run->size;
	r->bytes = run->bytes;
	return true;
}
