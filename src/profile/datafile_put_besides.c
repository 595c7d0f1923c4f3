/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a data file on blocks from before, resident memory, and what leads to blocks. */
#include "profile/datafile_put.h"

static void put_before(struct put *p, const struct profile_data *d)
{
	put_begin(p, "before", 4, d->before.n_bins);
	for (size_t i = 0; i < d->before.n_bins && p->rc == SQLITE_OK; i++) {
		put_int(p, d->before.bins[i].usable);
		put_int(p, d->before.bins[i].blocks);
		put_int(p, d->before.bins[i].freed);
		put_int(p, d->before.bins[i].missed);
		put_row(p);
	}
	put_end(p);
}

/* The blocks of a class in the table reach. The last class there is not PD_REACHABLE, which most
 * blocks are, but what is left: the blocks that the look did not see. */
static uint64_t in_class(const struct profile_data *d, const struct pd_leaf *l, int class)
{
	uint64_t left = l->allocs - l->frees;

	if (class != PD_REACHABLE)
		return l->reach[class];
	if (!d->reach.known)
		return 0;
	for (int k = 0; k < PD_REACH_CLASSES; k++)
		left -= l->reach[k];
	return left;
}

static void put_reach(struct put *p, const struct profile_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		for (int k = 0; k < PD_REACH_CLASSES; k++)
			n += in_class(d, &d->leaves[i], k) != 0;
	put_begin(p, "reach", 4, n);
	for (size_t i = 0; i < d->n_leaves * PD_REACH_CLASSES && p->rc == SQLITE_OK; i++) {
		const struct pd_leaf *l = &d->leaves[i / PD_REACH_CLASSES];
		uint64_t blocks = in_class(d, l, i % PD_REACH_CLASSES);

		if (!blocks)
			continue;
		put_int(p, i / PD_REACH_CLASSES + 1);	/* the row's number in the table leaves */
		put_int(p, i % PD_REACH_CLASSES);
		put_int(p, blocks);
		put_int(p, blocks * l->size);
		put_row(p);
	}
	put_end(p);
}

static void put_hanging(struct put *p, const struct profile_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		n += d->leaves[i].hanging.blocks != 0;
	put_begin(p, "hanging", 3, n);
	for (size_t i = 0; i < d->n_leaves && p->rc == SQLITE_OK; i++) {
		if (!d->leaves[i].hanging.blocks)
			continue;
		put_int(p, i + 1);
		put_int(p, d->leaves[i].hanging.blocks);
		put_int(p, d->leaves[i].hanging.bytes);
		put_row(p);
	}
	put_end(p);
}

static void put_rss(struct put *p, const struct profile_data *d)
{
	put_begin(p, "rss", 3, d->n_rss);
	for (size_t i = 0; i < d->n_rss && p->rc == SQLITE_OK; i++) {
		put_text(p, d->rss[i].name);
		put_int(p, d->rss[i].rss);
		put_int(p, d->rss[i].pss);
		put_row(p);
	}
	put_end(p);
}

void datafile_put_besides(struct put *p, const struct profile_data *d)
{
	put_before(p, d);
	put_reach(p, d);
	put_hanging(p, d);
	put_rss(p, d);
}
