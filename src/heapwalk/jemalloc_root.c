/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the root of jemalloc's extent tree: two million bytes of a module's bss, of which a few
 * words are not 0. These point at leaves, whose words point at extents, which have their own
 * addresses: from that follows which word of the root it was, and so where the root is. */
#include "heapwalk/jemalloc_internal.h"

enum {
	ROOT_BYTES = TREE_WORDS * 8,
	LEAF_BYTES = TREE_WORDS * 8,
	/* So many words may point at a candidate for a leaf before the search is given up. */
	LEAVES_MAX = 4096,
	/* Of so many extents most must be right: one may just have been changing. */
	SAMPLES = 16,
};

struct search {
	const struct still *s;
	struct still_reader r;
	taddr leaf, root;
	taddr at; /* the address of the word that points at the leaf */
	unsigned looked_at, samples, right;
};

/* The root, if the page of the word at @at in the leaf belongs to the extent, and is in the same
 * GiB as @in; 0: it does not. */
static taddr root_by(const struct search *f, const struct extent *e, taddr at, uint64_t word,
		     taddr in)
{
	const uint64_t slot = in >> LEAF_SHIFT;
	const taddr page = slot << LEAF_SHIFT | (at - f->leaf) / 8 * STILL_PAGE;

	if (!extent_has(e, page) || (page == e->base && !jemalloc_is_first(word, e)))
		return 0;
	return f->at - slot * 8;
}

/* Take a word of the leaf as a sample: which root would follow from it? */
static int sample(void *ctx, taddr at, uint64_t word)
{
	struct search *f = ctx;
	struct extent e;
	taddr root = 0;

	if (!jemalloc_leads(word))
		return 0;
	if (jemalloc_extent(&f->r, word, &e)) {
		root = root_by(f, &e, at, word, e.base);
		root = root ? root : root_by(f, &e, at, word, e.base + e.size - 1);
	}
	if (!f->samples)
		f->root = root;
	f->right += root && root == f->root;
	/* If the first sample makes no sense it is no leaf. */
	return ++f->samples == SAMPLES || !f->root;
}

static bool is_leaf(struct search *f, taddr at, taddr leaf)
{
	f->at = at;
	f->leaf = leaf;
	f->samples = f->right = 0;
	jemalloc_each_word(f->s, leaf, leaf + LEAF_BYTES, sample, f);
	return f->samples && f->right * 4 >= f->samples * 3;
}

static int try_word(void *ctx, taddr at, uint64_t word)
{
	struct search *f = ctx;
	const struct still_area *a = word % 64 ? NULL : still_area_at(f->s, word);

	if (!a || !a->writable || a->end - word < LEAF_BYTES)
		return 0;
	if (is_leaf(f, at, word))
		return 1;
	return ++f->looked_at > LEAVES_MAX;
}

taddr jemalloc_find_root(const struct still *s)
{
	for (size_t i = 0; i < s->n_areas; i++) {
		const struct still_area *a = &s->areas[i];
		struct search f = {.s = s, .r = still_reader(s)};

		if (a->end - a->start < ROOT_BYTES - STILL_PAGE || !still_is_bss(s, a))
			continue;
		if (jemalloc_each_word(s, a->start, a->end, try_word, &f) &&
		    f.looked_at <= LEAVES_MAX)
			return f.root;
	}
	return 0;
}
