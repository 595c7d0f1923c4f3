/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a data file on blocks from before, resident memory, and what leads to blocks. */
#include "profile/datafile_rows.h"

static void get_bins(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "before",
		  "SELECT usable, blocks, freed, missed FROM before NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_before_bin *b = NEXT(g, &d->before.bins, &cap, g->n);

		if (!b)
			break;
		d->before.n_bins++;
		b->usable = get_int(g);
		b->blocks = get_int(g);
		b->freed = get_int(g);
		b->missed = get_int(g);
	}
	get_end(g);
}

static void get_rss(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "rss", "SELECT row, rss, pss FROM rss NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_rss_row *r = NEXT(g, &d->rss, &cap, g->n);

		if (!r)
			break;
		d->n_rss++;
		r->name = get_text(g);
		r->rss = get_int(g);
		r->pss = get_int(g);
	}
	get_end(g);
}

/* PD_REACHABLE is the rest; as read, its place has the blocks that the look did not see. */
void datafile_get_reachable(struct profile_data *d)
{
	for (size_t i = 0; d->reach.known && i < d->n_leaves; i++) {
		struct pd_leaf *l = &d->leaves[i];
		uint64_t told = 0, kept = l->allocs - l->frees;

		for (int k = 0; k < PD_REACH_CLASSES; k++)
			if (__builtin_add_overflow(told, l->reach[k], &told))
				told = UINT64_MAX;
		/* If the numbers do not fit, datafile_check() reports it. */
		if (l->allocs >= l->frees && told <= kept)
			l->reach[PD_REACHABLE] = kept - told;
	}
}

static void get_reach(struct get *g, struct profile_data *d)
{
	uint64_t last = 0;

	get_begin(g, "reach",
		  "SELECT leaf, class, blocks, bytes FROM reach NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		uint64_t leaf = get_int(g), class = get_int(g), blocks = get_int(g);
		uint64_t bytes = get_int(g), size;

		size = leaf && leaf <= d->n_leaves ? d->leaves[leaf - 1].size : 0;
		if (!leaf || leaf > d->n_leaves || class >= PD_REACH_CLASSES || !blocks ||
		    leaf * PD_REACH_CLASSES + class <= last || bytes != blocks * size) {
			get_damaged(g, "there is no such leaf, or not such a class of its blocks");
			break;
		}
		last = leaf * PD_REACH_CLASSES + class;
		d->leaves[leaf - 1].reach[class] = blocks;
	}
	get_end(g);
}

static void get_hanging(struct get *g, struct profile_data *d)
{
	uint64_t last = 0;

	get_begin(g, "hanging", "SELECT leaf, blocks, bytes FROM hanging NOT INDEXED "
				"ORDER BY rowid");
	while (get_row(g)) {
		uint64_t leaf = get_int(g);
		struct pd_sum hanging = {.blocks = get_int(g)};

		hanging.bytes = get_int(g);
		if (leaf <= last || leaf > d->n_leaves || !hanging.blocks) {
			get_damaged(g, "there is no such leaf, or nothing hangs on its blocks");
			break;
		}
		last = leaf;
		d->leaves[leaf - 1].hanging = hanging;
	}
	get_end(g);
}

void datafile_get_before(struct get *g, struct profile_data *d)
{
	get_bins(g, d);
	get_reach(g, d);
	get_hanging(g, d);
	get_rss(g, d);
}
