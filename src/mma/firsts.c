/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/firsts.h"

struct first {
	uint64_t key;
	uint64_t turn;
};

void mma_firsts_release(struct mma_firsts *f)
{
	addrtable_release(&f->blocks);
	addrtable_release(&f->tasks);
}

static void clear(struct addrtable *t)
{
	if (t->n)
		memset(t->slots, 0, (t->mask + 1) * sizeof(struct first));
	t->n = 0;
}

void mma_firsts_clear(struct mma_firsts *f)
{
	clear(&f->blocks);
	clear(&f->tasks);
}

static int add(struct addrtable *t, uint64_t key, uint64_t turn)
{
	bool known;

	if (!key)
		return 0;
	struct first *first = addrtable_put(t, key, sizeof *first, &known);
	if (!first)
		return -ENOMEM;
	if (!known)
		first->turn = turn;
	return 0;
}

static uint64_t find(const struct addrtable *t, uint64_t key)
{
	const struct first *first = t->n ? addrtable_find(t, key, sizeof *first) : NULL;

	return first ? first->turn : MMA_NO_TURN;
}

static uint64_t task_key(uint32_t tid)
{
	return (uint64_t)tid + 1; /* 0 cannot be a key */
}

int mma_firsts_add(struct mma_firsts *f, const struct mma_entry *e, uint64_t turn)
{
	int err = add(&f->tasks, task_key(e->tid), turn);

	if (!err && e->type != MMA_TMSTMP)
		err = add(&f->blocks, e->ptr, turn);
	return err ? err : add(&f->blocks, mma_old_block(e), turn);
}

uint64_t mma_firsts_of_block(const struct mma_firsts *f, uint64_t ptr)
{
	return find(&f->blocks, ptr);
}

uint64_t mma_firsts_of_task(const struct mma_firsts *f, uint32_t tid)
{
	return find(&f->tasks, task_key(tid));
}
