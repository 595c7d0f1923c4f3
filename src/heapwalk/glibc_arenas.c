/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main arena by its shape: 127 lists in a row, each of which is empty and points at itself, or
 * is one whose ends point back; and a ring of arenas that comes back to it.
 */
#include "heapwalk/glibc_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PAIR = 16,     /* a list's two ends */
	BAD_PAIRS = 2, /* in motion */
	BAD_PAIRS_RUNNING = 64,
	BEFORE_MIN = 0x10,
	BEFORE_MAX = 0x100,
	ARENAS_MAX = 16384, /* eight for each processor is what it makes */
};

void glibc_arenas_release(struct glibc_arenas *a)
{
	free(a->v);
	*a = (struct glibc_arenas){0};
}

/* ---- lists ---- */

static bool is_empty(struct still_reader *r, taddr pair)
{
	uint64_t first, last;

	return still_word(r, pair, &first) && still_word(r, pair + 8, &last) &&
	       first == pair - PAIR && last == pair - PAIR;
}

static bool is_list(struct still_reader *r, taddr pair)
{
	uint64_t first, last;

	if (!still_word(r, pair, &first) || !still_word(r, pair + 8, &last) || !first || !last ||
	    first % CHUNK_UNIT || last % CHUNK_UNIT)
		return false;
	return still_word_or_0(r, first + CHUNK_PREV) == pair - PAIR &&
	       still_word_or_0(r, last + CHUNK_NEXT) == pair - PAIR;
}

/* How many of them may be in motion. */
static int bad_max(const struct still_reader *r)
{
	return r->still->running ? BAD_PAIRS_RUNNING : BAD_PAIRS;
}

/* How far lists go on from one, up or down: N_BINS steps at most, and those in motion. */
static taddr end_of_lists(struct still_reader *r, taddr pair, int step)
{
	taddr end = pair;
	int bad = 0, max = bad_max(r);

	for (int i = 0; i < N_BINS + max; i++) {
		taddr next = end + (taddr)((int64_t)step * PAIR);

		bad += !is_list(r, next);
		if (bad > max)
			break;
		end = next;
	}
	return end;
}

static bool are_bins(struct still_reader *r, taddr bins)
{
	int bad = 0, max = bad_max(r);

	for (int i = 0; i < N_BINS && bad <= max; i++)
		bad += !is_list(r, bins + (taddr)i * PAIR);
	return bad <= max;
}

/* ---- the ring ---- */

/* Does it come back, with so many bytes before the bins? 0, -ENOENT, or -ENOMEM. */
static int follow(struct still_reader *r, taddr bins, unsigned before, struct glibc_arenas *a)
{
	taddr main = bins - before, at = main;

	a->n = 0;
	do {
		if (at % 8 || a->n == ARENAS_MAX)
			return -ENOENT;
		if (ARRAY_RESERVE(&a->v, &a->cap, a->n))
			return -ENOMEM;
		a->v[a->n++] = at;
		if (!still_word(r, at + before + STATE_NEXT, &at))
			return -ENOENT;
	} while (at != main);
	a->bins = bins;
	a->before_bins = before;
	return 0;
}

static int close_ring(struct still_reader *r, taddr bins, struct glibc_arenas *a)
{
	int err = -ENOENT;

	for (unsigned before = BEFORE_MIN; err == -ENOENT && before <= BEFORE_MAX; before += 8)
		err = follow(r, bins, before, a);
	return err;
}

/* ---- looking for it ---- */

static bool is_data(const struct still *s, const struct still_area *a)
{
	return a->writable && (a->kind == STILL_FILE || still_is_bss(s, a));
}

/* An empty list has been found at @pair: is it one of an arena's? *@behind is where to go on. */
static int try_at(struct still_reader *r, taddr pair, struct glibc_arenas *a, taddr *behind)
{
	taddr low = end_of_lists(r, pair, -1), high = end_of_lists(r, pair, 1);
	int err = -ENOENT;

	*behind = high + PAIR;
	if ((high - low) / PAIR + 1 < N_BINS)
		return -ENOENT;
	for (taddr bins = low; err == -ENOENT && bins <= high - (N_BINS - 1) * PAIR; bins += PAIR)
		if (are_bins(r, bins))
			err = close_ring(r, bins, a);
	return err;
}

/* In the pages that are there of an area. */
static int look_in(const struct still *s, const struct still_area *area, struct glibc_arenas *found)
{
	struct still_reader r = still_reader(s);
	int err = 0;

	for (size_t i = still_run_from(s, area->start); i < s->n_runs; i++) {
		const struct still_run *run = &s->runs[i];
		taddr at = run->start > area->start ? run->start : area->start;
		taddr end = run->start + run->size < area->end ? run->start + run->size : area->end;

		for (; !err && at < end; at += 8) {
			struct glibc_arenas one = {0};
			uint64_t word;
			taddr behind;

			memcpy(&word, run->bytes + (at - run->start), sizeof word);
			if (word != at - PAIR || !is_empty(&r, at))
				continue;
			err = try_at(&r, at, &one, &behind);
			at = behind - 8;
			if (!err && found->n)
				err = -EMLINK;
			if (err)
				glibc_arenas_release(&one);
			else
				*found = one;
			err = err == -ENOENT ? 0 : err;
		}
		if (err || run->start >= area->end)
			break;
	}
	return err;
}

int glibc_arenas_find(const struct still *s, struct glibc_arenas *a)
{
	int err = 0;

	*a = (struct glibc_arenas){0};
	for (size_t i = 0; !err && i < s->n_areas; i++)
		if (is_data(s, &s->areas[i]))
			err = look_in(s, &s->areas[i], a);
	if (!err && !a->n)
		err = -ENOENT;
	if (err)
		glibc_arenas_release(a);
	return err;
}
