/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks from the roots: first along pointers to the starts of blocks, then also along pointers into
 * blocks, then along those of the latter that count like pointers to starts. What has not been seen
 * then is lost.
 */
#include "heapwalk/marking.h"

#include "base/array.h"
#include "base/zeroed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

void reach_release(struct reach *r)
{
	free(r->classes);
	free(r->lost);
	free(r->idioms);
	*r = (struct reach){0};
}

/* ---- what a word leads to ---- */

static void push(struct marking *m, uint32_t block)
{
	if (!m->err && ARRAY_RESERVE(&m->stack, &m->cap_stack, m->n_stack))
		m->err = -ENOMEM;
	if (!m->err)
		m->stack[m->n_stack++] = block;
}

static unsigned class_of(const struct marking *m, uint32_t block)
{
	return m->seen[block] & SEEN_CLASS;
}

static void set_class(struct marking *m, uint32_t block, unsigned class)
{
	m->seen[block] = (uint8_t)((m->seen[block] & ~SEEN_CLASS) | class);
}

static void note_inner(struct marking *m, uint32_t block, uint64_t offset)
{
	uint32_t place = offset < INNER_SEVERAL ? (uint32_t)offset : INNER_SEVERAL;

	if (!place || (m->inner[block] && m->inner[block] != place))
		place = INNER_SEVERAL;
	m->inner[block] = place;
}

/* Mark a block to which a root or a reachable block points. */
static void reach(struct marking *m, uint32_t block, enum reach_idiom why, uint64_t offset)
{
	bool known = class_of(m, block) == SEEN_REACHABLE;

	/* An idiom is the reason only if there is no better one. */
	if (known && !why)
		m->seen[block] = SEEN_REACHABLE;
	if (known)
		return;
	m->seen[block] = (uint8_t)(SEEN_REACHABLE | (unsigned)why << SEEN_IDIOM);
	m->inner[block] = (uint32_t)offset;
	push(m, block);
}

static void reach_inside(struct marking *m, uint32_t block, uint64_t offset, taddr word)
{
	if (class_of(m, block) == SEEN_REACHABLE)
		return;
	enum reach_idiom why = idiom_of(m, block, offset, word);
	if (why) {
		reach(m, block, why, offset);
	} else {
		note_inner(m, block, offset);
		set_class(m, block, SEEN_INSIDE);
	}
}

/* Mark a block to which a possibly lost one points. Pointers of a block into itself do not count,
 * and a pointer from a reachable block counts more. */
static void pass_on(struct marking *m, uint32_t block, uint64_t offset)
{
	unsigned class = class_of(m, block);

	if (class == SEEN_REACHABLE || class == SEEN_INSIDE || block == m->from)
		return;
	note_inner(m, block, offset);
	if (class == SEEN_POSSIBLE)
		return;
	set_class(m, block, SEEN_POSSIBLE);
	push(m, block);
}

static inline void visit(struct marking *m, uint64_t word)
{
	uint64_t offset;

	if (word - m->low >= m->high - m->low)
		return;
	uint32_t block = spans_find(&m->blocks, word, &offset);
	if (block == SPANS_NONE)
		return;
	if (!m->definite)
		pass_on(m, block, offset);
	else if (offset)
		reach_inside(m, block, offset, word);
	else
		reach(m, block, IDIOM_NONE, 0);
}

/* ---- scanning memory ---- */

static void look_through_bytes(struct marking *m, const uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 0; i + WORD <= size; i += WORD) {
		uint64_t word;

		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what has a size is */
		memcpy(&word, bytes + i, sizeof word);
		visit(m, word);
	}
}

/* Scan what the still has of [@start, @end). */
static void look_through(struct marking *m, taddr start, taddr end)
{
	const struct still *s = m->asked->still;
	struct still_run part;

	start = (start + WORD - 1) & ~(taddr)(WORD - 1);
	if (start >= end)
		return;
	if (still_has(&m->words, start, end - start)) {
		look_through_bytes(m, m->words.bytes + (start - m->words.start), end - start);
		return;
	}
	for (size_t i = still_run_from(s, start); still_part(s, i, start, end, &part); i++)
		look_through_bytes(m, part.bytes, part.size);
}

static void drain(struct marking *m)
{
	while (!m->err && m->n_stack) {
		uint64_t size;

		m->from = m->stack[--m->n_stack];
		taddr at = spans_at(&m->blocks, m->from, &size);
		look_through(m, at, at + size);
	}
	m->from = SPANS_NONE;
}

/* ---- the steps ---- */

static void from_roots(struct marking *m)
{
	const struct reach_roots *roots = m->asked->roots;
	uint64_t offset;

	m->definite = true;
	for (size_t i = 0; i < roots->n_stacks; i++) {
		uint32_t block = spans_find(&m->blocks, roots->stacks[i], &offset);

		if (block != SPANS_NONE)
			reach(m, block, IDIOM_NONE, 0);
	}
	for (size_t i = 0; i < roots->n_words; i++)
		visit(m, roots->words[i]);
	for (size_t i = 0; !m->err && i < roots->n_ranges; i++) {
		look_through(m, roots->ranges[i].start, roots->ranges[i].end);
		drain(m);
	}
	drain(m);
}

static void from_inside(struct marking *m)
{
	m->definite = false;
	for (uint32_t i = 0; !m->err && i < m->blocks.n; i++) {
		if (class_of(m, i) != SEEN_INSIDE)
			continue;
		push(m, i);
		drain(m);
	}
}

static void from_regular(struct marking *m)
{
	m->err = m->err ? m->err : idioms_mark_regular(m);
	m->definite = true;
	for (uint32_t i = 0; !m->err && i < m->blocks.n; i++) {
		if (class_of(m, i) != SEEN_INSIDE || !(m->seen[i] & SEEN_REGULAR))
			continue;
		reach(m, i, IDIOM_REGULAR, m->inner[i]);
		drain(m);
	}
}

/* A block that was not lost before does not count as lost now: its pointer may just be moving from
 * one place to another. */
static void spare_new(struct marking *m)
{
	const taddr *v = m->asked->lost_before;
	size_t n = m->asked->n_lost_before, next = 0;

	for (uint32_t i = 0; m->asked->spares_new && i < m->blocks.n; i++) {
		uint64_t size;

		if (class_of(m, i) != SEEN_NOT)
			continue;
		taddr at = spans_at(&m->blocks, i, &size);
		while (next < n && v[next] < at)
			next++;
		if (next == n || v[next] != at)
			set_class(m, i, SEEN_REACHABLE);
	}
}

taddr *reach_lost_addresses(const struct reach *r, const struct spans *blocks, size_t *n, int *err)
{
	size_t all = r->sums[REACH_LOST].n + r->sums[REACH_LOST_THROUGH].n;
	taddr *v = all ? malloc(all * sizeof *v) : NULL;

	*n = 0;
	*err = all && !v ? -ENOMEM : 0;
	for (uint32_t i = 0; v && i < blocks->n; i++) {
		uint64_t size;

		if (r->classes[i] == REACH_LOST || r->classes[i] == REACH_LOST_THROUGH)
			v[(*n)++] = spans_at(blocks, i, &size);
	}
	return v;
}

static enum reach_class result_of(unsigned class)
{
	if (class == SEEN_REACHABLE)
		return REACH_REACHABLE;
	return class == SEEN_NOT ? REACH_LOST : REACH_POSSIBLE;
}

static void sum_up(const struct marking *m, struct reach *r)
{
	for (size_t i = 0; i < m->blocks.n_areas; i++) {
		const struct span_area *a = &m->blocks.areas[i];

		for (uint32_t k = a->first; k < a->first + a->n; k++) {
			struct heap_sum *sum = &r->sums[r->classes[k]];

			sum->n++;
			sum->bytes += span_size(a, &m->blocks.v[k]);
		}
	}
}

static int find(struct marking *m, struct reach *r)
{
	from_roots(m);
	from_inside(m);
	if (!m->asked->no_idioms)
		from_regular(m);
	if (m->err)
		return m->err;
	spare_new(m);
	for (size_t i = 0; i < m->blocks.n; i++)
		r->classes[i] = (uint8_t)result_of(m->seen[i] & SEEN_CLASS);
	int err = cliques_find(m, r);
	if (!err)
		err = idioms_count(m, r);
	if (!err)
		sum_up(m, r);
	return err;
}

int reach_find(struct reach *r, const struct reach_asked *asked)
{
	const struct spans *b = asked->blocks;
	size_t n = b->n;
	struct marking m = {.asked = asked,
			    .blocks = *b,
			    .words = still_reader(asked->still),
			    .heads = still_reader(asked->still),
			    .from = SPANS_NONE,
			    .low = n ? b->areas[0].start : 0,
			    .high = n ? b->areas[b->n_areas - 1].end : 0,
			    .seen = calloc(n + 1, 1),
			    .inner = zeroed_new((n + 1) * sizeof *m.inner)};

	*r = (struct reach){.classes = malloc(n + 1)};
	int err = m.seen && m.inner && r->classes ? find(&m, r) : -ENOMEM;
	free(m.seen);
	zeroed_free(m.inner, (n + 1) * sizeof *m.inner);
	free(m.stack);
	if (err)
		reach_release(r);
	return err;
}
