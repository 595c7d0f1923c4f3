/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/marks.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void marks_release(struct marks *m)
{
	free(m->v);
	addrtable_release(&m->gone);
	*m = (struct marks){0};
}

void mark_counts_release(struct mark_counts *c)
{
	free(c->v);
	*c = (struct mark_counts){0};
}

void marks_look_over(struct marks *m)
{
	m->since_ns = 0;
	addrtable_release(&m->gone);
}

void marks_look(struct marks *m, uint64_t now_ns)
{
	marks_look_over(m);
	m->since_ns = now_ns;
}

int marks_gone(struct marks *m, const struct live_slot *block, uint64_t now_ns)
{
	bool known;

	if (!m->since_ns || now_ns < m->since_ns ||
	    live_born_ns(block) > (m->since_ns & LIVE_NS_MASK))
		return 0;
	return addrtable_put(&m->gone, block->ptr, sizeof block->ptr, &known) ? 0 : -ENOMEM;
}

bool marks_is_gone(const struct marks *m, taddr ptr)
{
	return addrtable_find(&m->gone, ptr, sizeof ptr);
}

void marks_begin(struct marks *m, const struct pd_reach *reach)
{
	m->n = 0;
	m->reach = *reach;
}

int marks_add(struct marks *m, struct live_slot *block, const struct said_of_block *said)
{
	if (said->class == PD_REACHABLE) {
		block->leaf |= LIVE_REACHED;
		return 0;
	}
	if (ARRAY_RESERVE(&m->v, &m->cap, m->n))
		return -ENOMEM;
	m->v[m->n++] = (struct block_mark){*block, said->hanging.bytes,
					   (uint32_t)said->hanging.blocks, (uint8_t)said->class};
	return 0;
}

/* False if the block was freed, even if another one has its address by now. */
static bool is_live(const struct live_table *live, const struct live_slot *block)
{
	const struct live_slot *now = live_find(live, block->ptr);

	return now && !(now->leaf & LIVE_MISSED) &&
	       now->born == block->born && now->born_event == block->born_event;
}

size_t marks_memory(const struct marks *m)
{
	size_t gone = m->gone.slots ? (m->gone.mask + 1) * sizeof(taddr) : 0;

	return m->cap * sizeof *m->v + gone;
}

static void add(struct mark_count *to, const struct mark_count *more)
{
	to->blocks += more->blocks;
	to->hanging.blocks += more->hanging.blocks;
	to->hanging.bytes += more->hanging.bytes;
}

static int in_order(const void *left, const void *right)
{
	const struct mark_count *a = left, *b = right;

	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	return a->class - b->class;
}

/* Adds up the counts of one leaf and class. */
static void merge(struct mark_counts *c)
{
	size_t kept = 0;

	if (c->n)
		qsort(c->v, c->n, sizeof *c->v, in_order);
	for (size_t i = 0; i < c->n; i++) {
		if (kept && !in_order(&c->v[kept - 1], &c->v[i]))
			add(&c->v[kept - 1], &c->v[i]);
		else
			c->v[kept++] = c->v[i];
	}
	c->n = kept;
}

/* Appends the reachable blocks of each leaf behind the other counts. 0 or -ENOMEM. */
static int count_reached(const struct live_table *live,
			 uint32_t (*leaf_of)(const struct live_slot *block), size_t n_leaves,
			 struct mark_counts *c)
{
	const struct live_slot *slots = live->table.slots;
	uint64_t *blocks = calloc(n_leaves + 1, sizeof *blocks);
	size_t leaves = 0;

	for (size_t i = 0; blocks && slots && i <= live->table.mask; i++)
		if (slots[i].ptr && slots[i].leaf & LIVE_REACHED)
			leaves += !blocks[leaf_of(&slots[i])]++;
	struct mark_count *v = blocks ? realloc(c->v, (c->n + leaves + 1) * sizeof *v) : NULL;
	if (v)
		c->v = v;
	for (uint32_t leaf = 0; v && leaf < n_leaves; leaf++)
		if (blocks[leaf])
			v[c->n++] = (struct mark_count){leaf, PD_REACHABLE, blocks[leaf], {0}};
	free(blocks);
	return v ? 0 : -ENOMEM;
}

int marks_count(const struct marks *m, const struct live_table *live,
		uint32_t (*leaf_of)(const struct live_slot *block), size_t n_leaves,
		struct mark_counts *out)
{
	*out = (struct mark_counts){.reach = m->reach, .v = calloc(m->n + 1, sizeof *out->v)};
	if (!out->v)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		const struct block_mark *mark = &m->v[i];

		if (is_live(live, &mark->block))
			out->v[out->n++] = (struct mark_count){
				leaf_of(&mark->block), mark->class, 1,
				{mark->hanging_blocks, mark->hanging_bytes}};
		else
			out->reach.freed += mark->class != PD_POSSIBLE;
	}
	int err = count_reached(live, leaf_of, n_leaves, out);
	if (err) {
		mark_counts_release(out);
		return err;
	}
	merge(out);
	return 0;
}
