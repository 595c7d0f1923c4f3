/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/before.h"

#include "base/array.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>

enum { PAGE_SHIFT = 12 };

/* The blocks that begin in a page. */
struct before_page {
	uint64_t number;
	uint32_t first, n;
};

#define FLAGS	   (BEFORE_GONE | BEFORE_MISSED | BEFORE_HELD)
#define USABLE_MAX (UINT64_C(1) << 47) /* the size of a program's address space */

static uint64_t usable_of(const struct before_block *b)
{
	return b->usable & ~FLAGS;
}

static void add(struct before_sum *s, const struct before_block *b)
{
	s->blocks++;
	s->bytes += usable_of(b);
}

void before_release(struct before *b)
{
	free(b->blocks);
	free(b->bins);
	addrtable_release(&b->pages);
	*b = (struct before){0};
}

void before_count(struct before *b, struct before_sum sum)
{
	b->how = BEFORE_COUNTED;
	b->found = sum;
}

/* ---- the index ---- */

/* The blocks are sorted by address, so those of one page are neighbours. */
static int index_all(struct before *b)
{
	addrtable_release(&b->pages);
	for (size_t i = 0, end; i < b->n; i = end) {
		uint64_t number = b->blocks[i].ptr >> PAGE_SHIFT;
		bool known;
		struct before_page *p = addrtable_put(&b->pages, number, sizeof *p, &known);

		if (!p)
			return -ENOMEM;
		for (end = i + 1; end < b->n && b->blocks[end].ptr >> PAGE_SHIFT == number; end++)
			;
		p->first = (uint32_t)i;
		p->n = (uint32_t)(end - i);
	}
	return 0;
}

static struct before_block *find(const struct before *b, taddr ptr)
{
	const struct before_page *p = addrtable_find(&b->pages, ptr >> PAGE_SHIFT, sizeof *p);

	if (!p)
		return NULL;
	struct before_block *v = b->blocks + p->first;
	size_t i = SEARCH_FIRST(p->n, k, v[k].ptr >= ptr);

	return i < p->n && v[i].ptr == ptr ? &v[i] : NULL;
}

static struct before_block *find_there(const struct before *b, taddr ptr)
{
	struct before_block *found = find(b, ptr);

	return found && !(found->usable & (BEFORE_GONE | BEFORE_HELD)) ? found : NULL;
}

static bool in_order(const struct before_block *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].ptr < 1 << PAGE_SHIFT || v[i].usable > USABLE_MAX ||
		    (i && v[i].ptr <= v[i - 1].ptr))
			return false;
	return n < UINT32_MAX;
}

/* Sums @b->blocks up and indexes them. */
static int adopt(struct before *b)
{
	b->how = BEFORE_WALKED;
	b->found = b->freed = b->missed = (struct before_sum){0};
	for (size_t i = 0; i < b->n; i++)
		add(&b->found, &b->blocks[i]);
	return index_all(b);
}

int before_set(struct before *b, struct before_block *blocks, size_t n)
{
	b->blocks = blocks;
	b->n = n;
	int err = in_order(blocks, n) ? adopt(b) : -EINVAL;

	if (err)
		before_release(b);
	return err;
}

/* ---- what happens to them ---- */

bool before_has(const struct before *b, taddr ptr)
{
	return b->n && find_there(b, ptr);
}

void before_reuse(struct before *b, taddr ptr)
{
	struct before_block *found = b->n ? find_there(b, ptr) : NULL;

	if (!found)
		return;
	found->usable |= BEFORE_GONE | BEFORE_MISSED;
	add(&b->missed, found);
}

bool before_hold(struct before *b, taddr ptr)
{
	struct before_block *found = b->n ? find_there(b, ptr) : NULL;

	if (found)
		found->usable |= BEFORE_HELD;
	return found;
}

void before_held_freed(struct before *b, taddr ptr)
{
	struct before_block *held = find(b, ptr);

	held->usable = (held->usable & ~BEFORE_HELD) | BEFORE_GONE;
	add(&b->freed, held);
}

void before_held_stays(struct before *b, taddr ptr)
{
	find(b, ptr)->usable &= ~FLAGS;
}

/* ---- a fork, or a restart, begins with them ---- */

/* Copies the blocks that have not gone, without the marks of those that are held. Returns how
 * many. */
static size_t copy_there(struct before_block *to, const struct before *from)
{
	size_t n = 0;

	for (size_t i = 0; i < from->n; i++)
		if (!(from->blocks[i].usable & BEFORE_GONE))
			to[n++] = (struct before_block){from->blocks[i].ptr,
							usable_of(&from->blocks[i])};
	return n;
}

static struct before_sum left(const struct before *b)
{
	return (struct before_sum){b->found.blocks - b->freed.blocks - b->missed.blocks,
				   b->found.bytes - b->freed.bytes - b->missed.bytes};
}

int before_fork(struct before *to, const struct before *from)
{
	*to = (struct before){.how = from->how, .found = from->found, .walk_ns = from->walk_ns};
	if (from->how != BEFORE_WALKED)
		return 0;
	to->blocks = malloc((from->n + 1) * sizeof *to->blocks);
	if (!to->blocks)
		return -ENOMEM;
	to->n = copy_there(to->blocks, from);
	return adopt(to);
}

/* Without memory for the index only the number of the blocks is kept. */
void before_restart(struct before *b)
{
	struct before_sum there = left(b);

	if (b->how != BEFORE_WALKED)
		return;
	b->n = copy_there(b->blocks, b);
	if (!adopt(b))
		return;
	before_release(b);
	before_count(b, there);
}

/* ---- by size ---- */

static int by_usable(const void *x, const void *y)
{
	const struct before_bin *a = x, *b = y;

	return a->usable < b->usable ? -1 : a->usable > b->usable;
}

static struct before_bin bin_of(const struct before_block *b)
{
	bool missed = b->usable & BEFORE_MISSED;

	return (struct before_bin){usable_of(b), 1, b->usable & BEFORE_GONE && !missed, missed};
}

static size_t join(struct before_bin *v, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		if (!to || v[to - 1].usable != v[i].usable) {
			v[to++] = v[i];
			continue;
		}
		v[to - 1].blocks += v[i].blocks;
		v[to - 1].freed += v[i].freed;
		v[to - 1].missed += v[i].missed;
	}
	return to;
}

struct bins {
	struct before_bin *v;
	size_t n, cap;
};

static void join_all(struct bins *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_usable);
	l->n = join(l->v, l->n);
}

/* Many blocks have few different sizes: when the list is full, bins of one size are joined. */
static int add_bin(struct bins *l, struct before_bin bin)
{
	if (l->n == l->cap) {
		join_all(l);
		if (l->n >= l->cap / 2 && ARRAY_RESERVE(&l->v, &l->cap, l->cap))
			return -ENOMEM;
	}
	l->v[l->n++] = bin;
	return 0;
}

int before_list(const struct before *b, struct before_bin **bins, size_t *n)
{
	struct bins l = {0};
	int err = 0;

	for (size_t i = 0; !err && i < b->n_bins; i++)
		err = add_bin(&l, b->bins[i]);
	for (size_t i = 0; !err && i < b->n; i++)
		err = add_bin(&l, bin_of(&b->blocks[i]));
	join_all(&l);
	if (err) {
		free(l.v);
		l = (struct bins){0};
	}
	*bins = l.v;
	*n = l.n;
	return err;
}

int before_data(const struct before *b, struct pd_before *to)
{
	struct before_bin *bins;
	size_t n;

	*to = (struct pd_before){.how = b->how,
				 .blocks = b->found.blocks,
				 .bytes = b->found.bytes,
				 .freed_bytes = b->freed.bytes,
				 .missed = b->missed.blocks,
				 .missed_bytes = b->missed.bytes,
				 .walk_ns = b->walk_ns};
	if (b->how != BEFORE_WALKED)
		return 0;
	if (before_list(b, &bins, &n))
		return -ENOMEM;
	to->bins = calloc(n + 1, sizeof *to->bins);
	for (size_t i = 0; to->bins && i < n; i++)
		to->bins[to->n_bins++] = (struct pd_before_bin){bins[i].usable, bins[i].blocks,
								bins[i].freed, bins[i].missed};
	free(bins);
	return to->bins ? 0 : -ENOMEM;
}

int before_finish(struct before *b)
{
	struct before_bin *bins;
	size_t n;
	int err = before_list(b, &bins, &n);

	if (err)
		return err;
	free(b->bins);
	free(b->blocks);
	addrtable_release(&b->pages);
	b->bins = bins;
	b->n_bins = n;
	b->blocks = NULL;
	b->n = 0;
	return 0;
}

size_t before_memory(const struct before *b)
{
	return b->n * sizeof *b->blocks + b->n_bins * sizeof *b->bins +
	       (b->pages.slots ? (b->pages.mask + 1) * sizeof(struct before_page) : 0);
}
