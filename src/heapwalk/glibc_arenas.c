/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the main arena by its shape: 127 adjacent lists, each of which is empty and points at
 * itself, or has ends that point back; and a ring of arenas that comes back to it.
 */
#include "heapwalk/glibc_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PAIR = 16,     /* a list's two ends */
	BAD_PAIRS = 2, /* that a thread is just changing */
	BAD_PAIRS_RUNNING = 64,
	BEFORE_MIN = 0x10,
	BEFORE_MAX = 0x100,
	ARENAS_MAX = 16384, /* it makes at most eight for each processor */
	/* Lists and arenas to examine: a program has a few hundred candidates, but memory made for
	 * that purpose may have any number. */
	STEPS_MAX = 1 << 24,
};

struct search {
	const struct still *s;
	struct still_reader r;
	int left; /* steps */
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

/* Is there a list? Never after STEPS_MAX steps. */
static bool is_list(struct search *x, taddr pair)
{
	struct still_reader *r = &x->r;
	uint64_t first, last;

	if (!x->left)
		return false;
	x->left--;
	if (!still_word(r, pair, &first) || !still_word(r, pair + 8, &last) || !first || !last ||
	    first % CHUNK_UNIT || last % CHUNK_UNIT)
		return false;
	return still_word_or_0(r, first + CHUNK_PREV) == pair - PAIR &&
	       still_word_or_0(r, last + CHUNK_NEXT) == pair - PAIR;
}

/* How many lists may be in the middle of a change. */
static int bad_max(const struct search *x)
{
	return x->s->running ? BAD_PAIRS_RUNNING : BAD_PAIRS;
}

/* The last of the adjacent lists from one, up or down: at most N_BINS steps, and those being
 * changed. */
static taddr end_of_lists(struct search *x, taddr pair, int step)
{
	taddr end = pair;
	int bad = 0, max = bad_max(x);

	for (int i = 0; i < N_BINS + max; i++) {
		taddr next = end + (taddr)((int64_t)step * PAIR);

		bad += !is_list(x, next);
		if (bad > max)
			break;
		end = next;
	}
	return end;
}

static bool are_bins(struct search *x, taddr bins)
{
	int bad = 0, max = bad_max(x);

	for (int i = 0; i < N_BINS && bad <= max; i++)
		bad += !is_list(x, bins + (taddr)i * PAIR);
	return bad <= max;
}

/* ---- the ring ---- */

/* Follow the ring of arenas, if the bins are at offset @before in them. 0: it comes back, -ENOENT,
 * or -ENOMEM. */
static int follow(struct search *x, taddr bins, unsigned before, struct glibc_arenas *a)
{
	taddr main = bins - before, at = main;

	a->n = 0;
	do {
		if (at % 8 || a->n == ARENAS_MAX || !x->left)
			return -ENOENT;
		x->left--;
		if (ARRAY_RESERVE(&a->v, &a->cap, a->n))
			return -ENOMEM;
		a->v[a->n++] = at;
		if (!still_word(&x->r, at + before + STATE_NEXT, &at))
			return -ENOENT;
	} while (at != main);
	a->before_bins = before;
	return 0;
}

static int close_ring(struct search *x, taddr bins, struct glibc_arenas *a)
{
	int err = -ENOENT;

	for (unsigned before = BEFORE_MIN; err == -ENOENT && before <= BEFORE_MAX; before += 8)
		err = follow(x, bins, before, a);
	return err;
}

/* ---- searching ---- */

/* A thread's arena is in the same ring, but not the main one. It may be found if its heap is right
 * behind a module's data, or something that looks like it. */
static int try_as_main(struct search *x, taddr bins, struct glibc_arenas *a)
{
	int err = close_ring(x, bins, a);

	return !err && glibc_has_heap(&x->r, a->v[0]) ? -ENOENT : err;
}

static bool is_data(const struct still *s, const struct still_area *a)
{
	return a->writable && (a->kind == STILL_FILE || still_is_bss(s, a));
}

/* An empty list has been found at @pair: is it an arena's? *@behind: where to continue. */
static int try_at(struct search *x, taddr pair, struct glibc_arenas *a, taddr *behind)
{
	taddr low = end_of_lists(x, pair, -1), high = end_of_lists(x, pair, 1);
	int err = -ENOENT;

	*behind = high + PAIR;
	if ((high - low) / PAIR + 1 < N_BINS)
		return -ENOENT;
	for (taddr bins = low; err == -ENOENT && bins <= high - (N_BINS - 1) * PAIR; bins += PAIR)
		if (are_bins(x, bins))
			err = try_as_main(x, bins, a);
	return err;
}

/* Has an arena got memory? Another copy of the C library, which is not used for allocation, may
 * have initialised its arenas: libc_malloc_debug, or one in a linker namespace of its own. Until
 * there is memory the top is the bins themselves. */
static bool has_memory(struct search *x, const struct glibc_arenas *a)
{
	taddr bins = a->v[0] + a->before_bins;

	return a->n > 1 || still_word_or_0(&x->r, bins + (taddr)(int64_t)STATE_TOP) !=
				   bins - CHUNK_UNIT;
}

/* Take one more main arena. -EMLINK: one too many. */
static int take_one(struct search *x, struct glibc_arenas *found, struct glibc_arenas *one)
{
	if (found->n && has_memory(x, found)) {
		bool too_many = has_memory(x, one);

		glibc_arenas_release(one);
		return too_many ? -EMLINK : 0;
	}
	glibc_arenas_release(found);
	*found = *one;
	return 0;
}

/* Search the pages of an area that are in the still. */
static int look_in(struct search *x, const struct still_area *area, struct glibc_arenas *found)
{
	const struct still *s = x->s;
	struct still_run part;
	int err = 0;

	for (size_t i = still_run_from(s, area->start);
	     !err && still_part(s, i, area->start, area->end, &part); i++) {
		const taddr end = part.start + part.size;

		for (taddr at = part.start; !err && at < end; at += 8) {
			struct glibc_arenas one = {0};
			uint64_t word;
			taddr behind;

			memcpy(&word, part.bytes + (at - part.start), sizeof word);
			if (word != at - PAIR || !is_empty(&x->r, at))
				continue;
			err = try_at(x, at, &one, &behind);
			at = behind - 8;
			if (err)
				glibc_arenas_release(&one);
			else
				err = take_one(x, found, &one);
			err = err == -ENOENT ? 0 : err;
		}
	}
	return err;
}

int glibc_arenas_find(const struct still *s, struct glibc_arenas *a)
{
	struct search x = {.s = s, .r = still_reader(s), .left = STEPS_MAX};
	int err = 0;

	*a = (struct glibc_arenas){0};
	for (size_t i = 0; !err && i < s->n_areas; i++)
		if (is_data(s, &s->areas[i]))
			err = look_in(&x, &s->areas[i], a);
	if (!err && !a->n)
		err = -ENOENT;
	a->given_up = !x.left;
	if (err)
		glibc_arenas_release(a);
	return err;
}
