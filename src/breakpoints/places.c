/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known about a pc: the number of its place, and whether it is part of the allocator. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"

static bool pc_eq(const void *owner, uint32_t id, const void *key)
{
	const struct known_pc *a = &((const struct watch *)owner)->pcs[id], *b = key;

	return a->pc == b->pc && a->exact == b->exact && a->guessed == b->guessed;
}

static uint64_t pc_hash(const struct known_pc *k)
{
	return hash_mix(k->pc * 4 + k->exact * 2 + k->guessed);
}

static uint64_t pc_rehash(const void *owner, uint32_t id)
{
	return pc_hash(&((const struct watch *)owner)->pcs[id]);
}

static const struct known_pc *learn_pc(struct watch *w, pid_t tid, struct known_pc k)
{
	const struct mapping *m = watch_mapping(w, tid, k.pc);

	k.hidden = m && watch_in_range(w, m, k.pc - !k.exact, RANGE_WRAPPER);
	k.frame = w->sink->frame(w->image, m ? m->file : NO_FILE, m ? k.pc - m->bias : k.pc,
				 k.exact, k.guessed);
	if (k.frame == UINT32_MAX || ARRAY_RESERVE(&w->pcs, &w->cap_pcs, w->n_pcs))
		return NULL;
	w->pcs[w->n_pcs] = k;
	if (idindex_add(&w->pc_index, (uint32_t)w->n_pcs, pc_hash(&k), pc_rehash, w))
		return NULL;
	return &w->pcs[w->n_pcs++];
}

const struct known_pc *watch_place(struct watch *w, pid_t tid, const struct unwind_frame *f)
{
	struct known_pc key = { .pc = f->pc, .exact = f->exact, .guessed = f->guessed };
	uint32_t id = idindex_find(&w->pc_index, pc_hash(&key), pc_eq, w, &key);

	return id != IDINDEX_NONE ? &w->pcs[id] : learn_pc(w, tid, key);
}
