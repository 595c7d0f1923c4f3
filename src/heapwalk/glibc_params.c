/* SPDX-License-Identifier: BSD-2-Clause */
/* glibc's settings, and its counts of blocks with mappings of their own: struct malloc_par, in the
 * data of the same module as the main arena, recognised by a setting that is hardly ever
 * changed. */
#include "heapwalk/glibc_internal.h"

enum {
	MAPPED_MAX = 65536, /* the default of n_mmaps_max */
	AREAS_BEHIND = 2, /* its bss, and a page in between with another protection */
};

/* Is @bins the number of lists of a cache whose largest request is @max? In a build without caches,
 * such as libc_malloc_debug.so, there are other numbers. */
static bool is_bins_of(uint64_t bins, uint64_t max)
{
	uint64_t chunk = (max + CHUNK_OVERHEAD + CHUNK_UNIT - 1) / CHUNK_UNIT * CHUNK_UNIT;

	if (chunk < CHUNK_MIN)
		chunk = CHUNK_MIN;
	return bins == (chunk - CHUNK_MIN) / CHUNK_UNIT + 1;
}

/* Check and read the numbers around n_mmaps_max, which is at @at. */
static bool is_params(struct glibc *g, taddr at, struct glibc_params *p)
{
	taddr words = (at + 12 + 7) / 8 * 8;
	uint32_t max_mapped, fixed;
	uint64_t bytes, max_bytes, max_cached, in_list;

	if (!still_int(&g->r, at - 4, &p->n_mapped) || !still_int(&g->r, at + 4, &max_mapped) ||
	    !still_int(&g->r, at + 8, &fixed) || !still_word(&g->r, words, &bytes) ||
	    !still_word(&g->r, words + 8, &max_bytes) ||
	    !still_word(&g->r, words + 16, &p->sbrk_base) ||
	    !still_word(&g->r, words + 24, &p->cache_bins))
		return false;
	max_cached = still_word_or_0(&g->r, words + 32);
	in_list = still_word_or_0(&g->r, words + 40);
	if (!in_list || !is_bins_of(p->cache_bins, max_cached))
		p->cache_bins = 0;
	p->mapped_bytes = bytes;
	p->found = true;
	if (!p->sbrk_base && !max_bytes) /* nothing was ever allocated: not these settings */
		return false;
	return p->n_mapped <= max_mapped && max_mapped <= MAPPED_MAX && fixed <= 1 &&
	       bytes <= max_bytes && bytes % STILL_PAGE == 0 && max_bytes % STILL_PAGE == 0 &&
	       !bytes == !p->n_mapped && p->sbrk_base % CHUNK_UNIT == 0;
}

static bool look_in(struct glibc *g, const struct still_area *a)
{
	struct still_run part;

	for (size_t i = still_run_from(g->s, a->start);
	     still_part(g->s, i, a->start, a->end, &part); i++)
		for (uint64_t at = 0; at < part.size; at += 4) {
			uint32_t n;

			memcpy(&n, part.bytes + at, sizeof n);
			if (n == MAPPED_MAX && is_params(g, part.start + at, &g->params))
				return true;
		}
	return false;
}

void glibc_params_find(struct glibc *g)
{
	const struct still_area *first = g->s->areas, *end = first + g->s->n_areas;
	const struct still_area *a = still_area_at(g->s, g->arenas.v[0]);

	/* Begin with the first of the adjacent areas. */
	while (a > first && a[-1].end == a->start && a[-1].kind == STILL_FILE)
		a--;
	for (taddr at = a ? a->start : 0; a && a < end && a->start == at; at = a->end, a++) {
		if (a->kind != STILL_FILE && !still_is_bss(g->s, a))
			break;
		if (a->writable && look_in(g, a))
			return;
	}
	g->params = (struct glibc_params){0};
}
