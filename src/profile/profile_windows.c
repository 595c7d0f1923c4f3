/* SPDX-License-Identifier: BSD-2-Clause */
/* The windows of a profile, and how many blocks allocated in each are still live. */
#include "profile/profile.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kept_windows_release(struct kept_windows *k)
{
	free(k->v);
	free(k->survivors);
	*k = (struct kept_windows){0};
}

/* ---- survivors ---- */

struct cohorts {
	struct pd_survivor *v;
	size_t n, cap;
	struct idindex index;
};

static bool cohort_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_survivor *a = &((const struct cohorts *)owner)->v[id], *b = key;

	return a->node == b->node && a->i == b->i;
}

static uint64_t cohort_hash(const struct pd_survivor *s)
{
	return hash_mix((uint64_t)s->node << 32 | s->i);
}

static uint64_t cohort_rehash(const void *owner, uint32_t id)
{
	return cohort_hash(&((const struct cohorts *)owner)->v[id]);
}

static int add_survivor(struct cohorts *c, uint32_t node, uint32_t i, uint64_t size)
{
	struct pd_survivor key = {.node = node, .i = i};
	uint64_t hash = cohort_hash(&key);
	uint32_t id = idindex_find(&c->index, hash, cohort_eq, c, &key);

	if (id == IDINDEX_NONE) {
		id = (uint32_t)c->n;
		if (ARRAY_RESERVE(&c->v, &c->cap, c->n) ||
		    idindex_add(&c->index, id, hash, cohort_rehash, c))
			return -ENOMEM;
		c->v[c->n++] = key;
	}
	c->v[id].blocks++;
	c->v[id].bytes += size;
	return 0;
}

/* Counts a live block, unless it was allocated in the present window, which is not over. */
static int count_block(const struct profile *p, const struct live_slot *b, struct cohorts *c)
{
	if (!b->ptr || b->leaf & (LEAF_INHERITED | LIVE_MISSED))
		return 0;
	const struct call_leaf *l = &p->leaves[profile_leaf_number(b)];
	/* The allocation time lacks its highest bits, but cannot be after the end of this
	 * window. */
	uint64_t ago_ns = (p->windows.end_ns - live_born_ns(b)) & LIVE_NS_MASK;
	uint32_t i = windows_at(&p->windows, p->windows.end_ns - ago_ns);

	if (i >= windows_over(&p->windows) || !windows_is_listed(&p->windows.sites[l->site]))
		return 0;
	return add_survivor(c, l->node, i, l->size);
}

/* Blocks that a realloc holds are not in the table: they are freed, or as good as new. */
static int list_survivors(const struct profile *p, struct kept_windows *out)
{
	const struct addrtable *t = &p->live.table;
	const struct live_slot *slots = t->slots;
	struct cohorts c = {0};
	int err = 0;

	for (size_t i = 0; slots && !err && i <= t->mask; i++)
		err = count_block(p, &slots[i], &c);
	idindex_release(&c.index);
	out->survivors = c.v;
	out->n_survivors = c.n;
	return err;
}

/* ---- all ---- */

static int copy(const struct kept_windows *from, struct kept_windows *out)
{
	*out = *from;
	out->v = calloc(from->n + 1, sizeof *out->v);
	out->survivors = calloc(from->n_survivors + 1, sizeof *out->survivors);
	if (!out->v || !out->survivors)
		return -ENOMEM;
	if (from->n)
		memcpy(out->v, from->v, from->n * sizeof *out->v);
	if (from->n_survivors)
		memcpy(out->survivors, from->survivors, from->n_survivors * sizeof *out->survivors);
	return 0;
}

static int list(const struct profile *p, struct kept_windows *out)
{
	*out = (struct kept_windows){.window_ns = p->windows.length_ns,
				     .over = windows_over(&p->windows)};
	int err = windows_list(&p->windows, &out->v, &out->n);

	return err ? err : list_survivors(p, out);
}

int profile_list_windows(const struct profile *p, struct kept_windows *out)
{
	int err = p->finished ? copy(&p->kept_windows, out) : list(p, out);

	if (err)
		kept_windows_release(out);
	return err;
}
