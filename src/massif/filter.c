/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/filter.h"

#include <string.h>

static bool is_main(const struct massif_entry *e)
{
	return e->name && !strcmp(e->name, "main");
}

/* How many of the innermost elements are allocation functions; *main_dropped: main is one of
 * them. */
static size_t count_alloc_fns(const struct massif_filter *f, const struct massif_entry *entries,
			      const uint32_t *ids, size_t n, bool *main_dropped)
{
	size_t i = 0;

	*main_dropped = false;
	for (; i < n; i++) {
		const struct massif_entry *e = &entries[ids[i]];
		const char *called = massif_entry_called(e);

		if (!called || !is_allocation_function(called, f->alloc_fns))
			break;
		*main_dropped |= is_main(e);
	}
	return i;
}

/* One function decides: the innermost, or if it has neither name nor label, the innermost with a
 * name. */
static bool is_ignored(const struct massif_filter *f, const struct massif_entry *entries,
		       const uint32_t *ids, size_t n)
{
	const char *called = n ? massif_entry_called(&entries[ids[0]]) : NULL;

	if (called && is_in_names(called, f->ignore_fns))
		return true;
	for (size_t i = 0; i < n; i++)
		if (entries[ids[i]].name)
			return is_in_names(entries[ids[i]].name, f->ignore_fns);
	return false;
}

static size_t cut_below_main(const struct massif_entry *entries, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_main(&entries[ids[i]]))
			return i + 1;
	return n;
}

static size_t cut_depth(const struct massif_entry *entries, const uint32_t *ids, size_t n,
			unsigned depth)
{
	unsigned frames = 0;

	for (size_t i = 0; i < n; i++)
		if (!entries[ids[i]].inlined && ++frames == depth)
			return i + 1;
	return n;
}

bool massif_filter_decided(const struct massif_filter *f, const struct massif_entry *entries,
			   const uint32_t *ids, size_t n)
{
	bool main_dropped;

	for (size_t i = count_alloc_fns(f, entries, ids, n, &main_dropped); i < n; i++)
		if (entries[ids[i]].name)
			return true;
	return false;
}

bool massif_filter_complete(const struct massif_filter *f, const struct massif_entry *entries,
			    const uint32_t *ids, size_t n)
{
	bool main_dropped;
	size_t first = count_alloc_fns(f, entries, ids, n, &main_dropped);
	unsigned frames = 0;

	if (!massif_filter_decided(f, entries, ids, n))
		return false;
	for (size_t i = first; i < n; i++) {
		if (is_main(&entries[ids[i]]))
			return true;
		frames += !entries[ids[i]].inlined;
	}
	return frames >= (main_dropped ? 1 : f->depth);
}

bool massif_filter(const struct massif_filter *f, const struct massif_entry *entries,
		   const uint32_t **ids, size_t *n)
{
	bool main_dropped;
	size_t dropped = count_alloc_fns(f, entries, *ids, *n, &main_dropped);

	*ids += dropped;
	*n -= dropped;
	/* A stack that was empty from the start could not be unwound: it counts. */
	if ((!*n && dropped) || is_ignored(f, entries, *ids, *n))
		return false;
	if (main_dropped)
		*n = cut_depth(entries, *ids, *n, 1);
	else
		*n = cut_below_main(entries, *ids, *n);
	*n = cut_depth(entries, *ids, *n, f->depth);
	return true;
}
