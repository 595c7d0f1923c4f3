/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_STILL_H
#define MPROF_STILL_STILL_H

#include "proc/maps.h"
#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A still: a copy of what was in a program's writable memory while all its tasks were stopped, and
 * where these were. Whoever reads it needs no process. What it holds was written by the program:
 * every address in it may lead anywhere, and only what the copy has is ever read.
 */

#define STILL_PAGE 4096u

enum still_kind {
	STILL_FILE,  /* a private mapping of a file */
	STILL_HEAP,  /* [heap] */
	STILL_STACK, /* [stack] */
	STILL_ANON,  /* private memory of no file, with a name or without */
	STILL_SHARED,
	STILL_KERNEL, /* [vdso] and its like */
};

/* A mapping, or several of one kind that follow each other: madvise(2) splits what is one. */
struct still_area {
	taddr start, end;
	enum still_kind kind;
	bool readable, writable, executable;
	char *name; /* "": it has none */
};

/* Pages that follow each other, and their bytes; of one area or of several. */
struct still_run {
	taddr start;
	uint64_t size;
	const uint8_t *bytes;
};

/* Where a task was stopped. */
struct still_task {
	taddr pc, sp;
	taddr tp; /* its thread pointer; 0: not known */
};

struct still {
	struct still_area *areas; /* in order */
	size_t n_areas, cap_areas;
	struct still_run *runs; /* in order */
	size_t n_runs, cap_runs;
	struct still_task *tasks;
	size_t n_tasks, cap_tasks;
	uint64_t *words; /* what is in registers, of all tasks */
	size_t n_words, cap_words;
	bool running;	   /* it ran meanwhile: each page is of another time */
	uint64_t unread;   /* bytes that are there and could not be read */
	uint64_t left_out; /* bytes of areas that are too large to be looked at */
};

/* What it points at stays: the bytes of the runs are not its own. */
void still_release(struct still *s);

/* The next mapping, in order. 0 or -ENOMEM. */
int still_add_map(struct still *s, const struct proc_map *m);
/* The next pages, in order. 0 or -ENOMEM. */
int still_add_run(struct still *s, taddr start, uint64_t size, const uint8_t *bytes);
/* When runs were not added in order. */
void still_sort_runs(struct still *s);
int still_add_task(struct still *s, const struct still_task *task);
int still_add_word(struct still *s, uint64_t word);

/* The area that has @at; NULL: none. */
const struct still_area *still_area_at(const struct still *s, taddr at);

/* Is there a task's stack pointer in this area? */
bool still_has_stack(const struct still *s, const struct still_area *a);

/* The first run that ends behind @at, which may be n_runs. */
size_t still_run_from(const struct still *s, taddr at);

/* What run @i has of [@start, @end), which it does not end in front of. False: nothing, and those
 * behind it have nothing either. All that there is:
 *	for (size_t i = still_run_from(s, start); still_part(s, i, start, end, &part); i++) */
bool still_part(const struct still *s, size_t i, taddr start, taddr end, struct still_run *part);

/* Nothing of @step bytes is at @at: where the next can be, @step on or where the next run begins.
 * UINT64_MAX: nowhere. */
taddr still_behind_hole(const struct still *s, taddr at, uint64_t step);

/* The last page, up to the one of @at, of which there is something; 0: there is none. */
taddr still_page_up_to(const struct still *s, taddr at);

/* Is this area what a module's data is continued by, its bss? What a file's private writable one
 * is followed by is taken for that, too. */
bool still_is_bss(const struct still *s, const struct still_area *a);

/*
 * Reads words, one after the other or anywhere: what was read last is where the next is looked for
 * first.
 */
struct still_reader {
	const struct still *still;
	taddr start;
	uint64_t size; /* 0: nothing was read yet */
	const uint8_t *bytes;
};

static inline struct still_reader still_reader(const struct still *s)
{
	return (struct still_reader){.still = s};
}

/* Find the run of [@at, @at + @size). False: the still does not have all of it. */
bool still_seek(struct still_reader *r, taddr at, uint64_t size);

static inline bool still_has(struct still_reader *r, taddr at, uint64_t size)
{
	return (r->size >= size && at - r->start <= r->size - size) || still_seek(r, at, size);
}

/* Words of 8, 4 and 2 bytes. False: the still does not have it. */
static inline bool still_word(struct still_reader *r, taddr at, uint64_t *value)
{
	if (!still_has(r, at, sizeof *value))
		return false;
	memcpy(value, r->bytes + (at - r->start), sizeof *value);
	return true;
}

static inline bool still_int(struct still_reader *r, taddr at, uint32_t *value)
{
	if (!still_has(r, at, sizeof *value))
		return false;
	memcpy(value, r->bytes + (at - r->start), sizeof *value);
	return true;
}

/* A word, or 0 where the still has none. */
static inline uint64_t still_word_or_0(struct still_reader *r, taddr at)
{
	uint64_t value;

	return still_word(r, at, &value) ? value : 0;
}

#endif
