/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/stats.h"

#include <errno.h>

void mma_space_release(struct mma_space *s)
{
	mma_blocks_release(&s->blocks);
	s->load = 0;
}

/* ---- time ---- */

/* Add the load until now over the time up to @now. */
static int pass_time(struct mma_stats *s, uint64_t now)
{
	mma_wide area;

	if (!s->begun)
		s->first_ns = s->last_ns = now;
	s->begun = true;
	s->load -= s->leaving_load;
	s->live_blocks -= s->leaving_blocks;
	s->leaving_load = s->leaving_blocks = 0;
	/* With a load below 2^64 the product always fits, and costs a third of a checked one. */
	bool small = !(s->load >> 64);
	if (small)
		area = (mma_wide)(uint64_t)s->load * (now - s->last_ns);
	else if (__builtin_mul_overflow(s->load, (mma_wide)(now - s->last_ns), &area))
		return -EOVERFLOW;
	if (__builtin_add_overflow(s->load_total, area, &s->load_total))
		return -EOVERFLOW;
	s->last_ns = now;
	return 0;
}

/* ---- blocks ---- */

static void less(struct mma_stats *s, struct mma_space *space, uint64_t size)
{
	s->load -= size;
	space->load -= size;
	s->live_blocks--;
}

static void gone(struct mma_stats *s, struct mma_space *space, uint64_t ptr)
{
	uint64_t size;

	if (!ptr)
		return;
	if (mma_blocks_take(&space->blocks, ptr, &size))
		less(s, space, size);
	else
		s->unknown_free++;
}

static int given(struct mma_stats *s, struct mma_space *space, uint64_t ptr, uint64_t size)
{
	uint64_t was;
	int replaced = mma_blocks_put(&space->blocks, ptr, size, &was);

	if (replaced < 0)
		return replaced;
	if (replaced) {
		less(s, space, was);
		s->replaced++;
	}
	s->load += size;
	space->load += size;
	s->live_blocks++;
	return 0;
}

static int act(struct mma_stats *s, struct mma_space *space, const struct mma_entry *e)
{
	switch (e->type) {
	case MMA_FREE:
		gone(s, space, e->ptr);
		return 0;
	case MMA_MALLOC:
	case MMA_CALLOC:
		if (e->ptr)
			return given(s, space, e->ptr,
				     e->type == MMA_MALLOC ? e->size : e->num * e->size);
		s->failed++;
		return 0;
	case MMA_REALLOC:
		if (!e->ptr && e->size) {
			s->failed++;
			return 0;
		}
		gone(s, space, e->old_ptr);
		return e->ptr ? given(s, space, e->ptr, e->size) : 0;
	default:
		return 0;
	}
}

int mma_stats_add(struct mma_stats *s, struct mma_space *space, const struct mma_entry *e)
{
	int err = pass_time(s, e->time_ns);

	if (!err)
		err = act(s, space, e);
	if (err)
		return err;
	s->events[e->type]++;
	if (s->load > s->load_max)
		s->load_max = s->load;
	return 0;
}

void mma_stats_end_space(struct mma_stats *s, const struct mma_space *space)
{
	s->leaving_load += space->load;
	s->leaving_blocks += space->blocks.table.n;
}

struct mma_stats mma_stats_until(const struct mma_stats *s, uint64_t now_ns)
{
	struct mma_stats until = *s;

	if (s->begun && now_ns > s->last_ns && pass_time(&until, now_ns))
		return *s;
	return until;
}

/* ---- results ---- */

uint64_t mma_stats_duration(const struct mma_stats *s)
{
	return s->last_ns - s->first_ns;
}

mma_wide mma_stats_average(const struct mma_stats *s)
{
	uint64_t duration = mma_stats_duration(s);

	return duration ? s->load_total / duration : 0;
}

uint64_t mma_stats_events(const struct mma_stats *s)
{
	uint64_t n = 0;

	for (int i = 0; i < MMA_TYPES; i++)
		n += s->events[i];
	return n;
}

const char *mma_wide_text(mma_wide n, char text[MMA_WIDE_TEXT])
{
	char *at = text + MMA_WIDE_TEXT - 1;

	*at = '\0';
	do
		*--at = (char)('0' + (int)(n % 10));
	while (n /= 10);
	return at;
}
