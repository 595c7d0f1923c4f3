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
 * A still: a copy of a program's writable memory while all its tasks were stopped, and where these
 * were. Reading it needs no process. Its contents were written by the program: every address in it
 * may lead anywhere, and only the copy is ever read.
 */

#define STILL_PAGE 4096u

enum still_kind {
	STILL_FILE,  /* a private mapping of a file */
	STILL_HEAP,  /* [heap] */
	STILL_STACK, /* [stack] */
	STILL_ANON,  /* private memory of no file, with a name or without */
	STILL_SHARED,
	STILL_KERNEL, /* [vdso] and the like */
};

/* A mapping, or several adjacent ones of one kind: madvise(2) splits mappings. */
struct still_area {
	taddr start, end;
	enum still_kind kind;
	bool readable, writable, executable;
	char *name; /* "": it has none */
};

/* Adjacent pages, and their bytes; of one area or of several. */
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
	uint64_t *words; /* the contents of all tasks' registers */
	size_t n_words, cap_words;
	bool running;	   /* the program ran meanwhile: pages are of different times */
	uint64_t unread;   /* bytes that could not be read */
	uint64_t left_out; /* bytes of areas that are too large to be copied */
};

/* The bytes of the runs are not its own and are not freed. */
void still_release(struct still *s);

/* Add the next mapping, in order. 0 or -ENOMEM. */
int still_add_map(struct still *s, const struct proc_map *m);
/* Add the next pages, in order; @bytes is not copied. 0 or -ENOMEM. */
int still_add_run(struct still *s, taddr start, uint64_t size, const uint8_t *bytes);
/* To be called if runs were not added in order. */
void still_sort_runs(struct still *s);
int still_add_task(struct still *s, const struct still_task *task);
int still_add_word(struct still *s, uint64_t word);

/* The area that contains @at; NULL: none. */
const struct still_area *still_area_at(const struct still *s, taddr at);

/* Is there a task's stack pointer in this area? */
bool still_has_stack(const struct still *s, const struct still_area *a);

/* The index of the first run that ends behind @at; n_runs: there is none. */
size_t still_run_from(const struct still *s, taddr at);

/* The part of run @i, which ends behind @start, that is in [@start, @end). False: none, nor of
 * later runs. To walk all parts:
 *	for (size_t i = still_run_from(s, start); still_part(s, i, start, end, &part); i++) */
bool still_part(const struct still *s, size_t i, taddr start, taddr end, struct still_run *part);

/* Where to continue, in steps of @step bytes, if the still does not have those at @at: @step
 * further, or where the next run begins. UINT64_MAX: nowhere. */
taddr still_behind_hole(const struct still *s, taddr at, uint64_t step);

/* The address of the last page that the still has at or below the page of @at; 0: none. */
taddr still_page_up_to(const struct still *s, taddr at);

/* Is this area a module's bss, behind its data? Any anonymous area behind a private writable one of
 * a file counts as that. */
bool still_is_bss(const struct still *s, const struct still_area *a);

/*
 * Reads words, in sequence or anywhere: the run that was read last is tried first.
 */
struct still_reader {
	const struct still *still;
	taddr start;
	uint64_t size; /* 0: nothing has been read yet */
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
