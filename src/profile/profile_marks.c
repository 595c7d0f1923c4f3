/* SPDX-License-Identifier: BSD-2-Clause */
/* What looks at the program's memory have found out about a profile's blocks. */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void profile_look(struct profile *p, uint64_t now_ns)
{
	marks_look(&p->marks, now_ns);
}

void profile_look_over(struct profile *p)
{
	marks_look_over(&p->marks);
}

void profile_looked(struct profile *p, const struct pd_reach *reach)
{
	if (p->marks.reach.known)
		live_forget_reached(&p->live);
	marks_begin(&p->marks, reach);
}

void profile_unseen_from_now(struct profile *p)
{
	p->seen_since_ns = UINT64_MAX;
}

void profile_seen_from_now(struct profile *p, uint64_t now_ns)
{
	if (p->seen_since_ns != UINT64_MAX)
		return;
	p->seen_since_ns = now_ns;
	p->had_pause = true;
}

/* As profile_block_since(), including inherited blocks. */
static struct live_slot *find_since(const struct profile *p, taddr ptr, uint64_t then_ns)
{
	struct live_slot *block = live_find(&p->live, ptr);

	/* A younger block: the one that was there then may have been freed. */
	if (!block || live_born_ns(block) > (then_ns & LIVE_NS_MASK))
		return NULL;
	/* While events did not come, another block may have taken its address. */
	return live_born_ns(block) < (p->seen_since_ns & LIVE_NS_MASK) ? NULL : block;
}

const struct live_slot *profile_block_since(const struct profile *p, taddr ptr, uint64_t then_ns)
{
	const struct live_slot *block = find_since(p, ptr, then_ns);

	/* An inherited block, from before the fork, has no chain here. */
	return block && !(block->leaf & LEAF_INHERITED) ? block : NULL;
}

int profile_mark(struct profile *p, const struct said_of_block *said, uint64_t then_ns)
{
	struct live_slot *block = find_since(p, said->ptr, then_ns);

	if (marks_is_gone(&p->marks, said->ptr)) {
		p->marks.reach.freed +=
			said->class == PD_LOST || said->class == PD_LOST_THROUGH;
		return 0;
	}
	if (!block)
		return 0;
	if (block->leaf & LEAF_INHERITED) {
		p->marks.reach.inherited +=
			said->class == PD_LOST || said->class == PD_LOST_THROUGH;
		return 0;
	}
	return marks_add(&p->marks, block, said);
}

bool profile_had_before(const struct profile *p, taddr ptr)
{
	const struct live_slot *block = live_find(&p->live, ptr);

	if (p->seen_since_ns)
		return false;
	return block ? block->leaf & LEAF_INHERITED : before_has(&p->before, ptr);
}

static int copy(const struct mark_counts *from, struct mark_counts *out)
{
	*out = *from;
	out->v = calloc(from->n + 1, sizeof *out->v);
	if (!out->v)
		return -ENOMEM;
	if (from->n)
		memcpy(out->v, from->v, from->n * sizeof *out->v);
	return 0;
}

int profile_list_marks(const struct profile *p, struct mark_counts *out)
{
	return p->finished ? copy(&p->kept_marks, out)
			   : marks_count(&p->marks, &p->live, profile_leaf_number, p->n_leaves,
					 out);
}
