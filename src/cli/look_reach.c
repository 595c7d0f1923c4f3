/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/look_reach.h"

#include "proc/keptwords.h"

static int add_word(uint64_t word, void *ctx)
{
	return still_add_word(ctx, word);
}

int look_reach_held(struct look *l, const struct still_files *f)
{
	return kept_words_each(f->pid, add_word, &l->taken.still);
}

int look_reach(const struct look *l, struct reach_asked asked, struct spans *blocks,
	       struct reach *reach)
{
	struct reach_roots roots = {0};
	int err = spans_of_walk(blocks, &l->walk.blocks);

	if (!err)
		err = reach_roots_find(&roots, &l->taken.still, &l->walk);
	asked.still = &l->taken.still;
	asked.blocks = blocks;
	asked.roots = &roots;
	if (!err)
		err = reach_find(reach, &asked);
	reach_roots_release(&roots);
	return err;
}
