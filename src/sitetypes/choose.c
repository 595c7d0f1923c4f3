/* SPDX-License-Identifier: BSD-2-Clause */
#include "sitetypes/choose.h"

#include <string.h>

static bool has_each_size(const struct site_candidate *c, const uint64_t *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c->size != sizes[i])
			return false;
	return n && c->size;
}

static bool fits_in_each(const struct site_candidate *c, const uint64_t *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c->size > sizes[i])
			return false;
	return true;
}

bool site_is_array(const struct site_candidate *c, const uint64_t *sizes, size_t n)
{
	bool more = false;

	if (!c->size || c->is_bytes || c->ends_open)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (sizes[i] % c->size)
			return false;
		more |= sizes[i] > c->size;
	}
	return more;
}

static bool divides_each(const struct site_candidate *c, const uint64_t *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sizes[i] % c->size)
			return false;
	return true;
}

/* Can the type fill whole blocks, rather than only their beginning? */
static bool is_possible(const struct site_candidate *c, const uint64_t *sizes, size_t n)
{
	if (!n || c->may_go_on || has_each_size(c, sizes, n))
		return true;
	return !c->may_be_part && (!c->size || divides_each(c, sizes, n));
}

typedef bool is_wanted_fn(const struct site_candidate *c, const uint64_t *sizes, size_t n);

/* The candidates of a set for which @is_wanted holds; the whole set, if there are none. */
static uint32_t prefer(const struct site_evidence *e, uint32_t set, is_wanted_fn *is_wanted,
		       const uint64_t *sizes, size_t n)
{
	uint32_t some = 0;

	for (unsigned i = 0; i < e->n; i++)
		if (set >> i & 1 && is_wanted(&e->v[i], sizes, n))
			some |= 1u << i;
	return some ? some : set;
}

struct site_choice site_choose(const struct site_evidence *e, const uint64_t *sizes, size_t n)
{
	uint32_t set = 0, whole = 0;
	struct site_choice c = {.how = FLOW_RETURNED};

	for (unsigned i = 0; i < e->n; i++)
		if (is_possible(&e->v[i], sizes, n))
			set |= 1u << i;
	set = prefer(e, set, has_each_size, sizes, n);
	set = prefer(e, set, fits_in_each, sizes, n);
	for (unsigned i = 0; i < e->n; i++)
		if (set >> i & 1 && !(e->v[i].begins & set))
			whole |= 1u << i;
	/* Two types cannot begin with each other, except in damaged DWARF. */
	c.set = whole ? whole : set;
	for (unsigned i = 0; i < e->n; i++)
		if (c.set >> i & 1 && e->v[i].how < c.how)
			c.how = e->v[i].how;
	c.certain = c.set && !(c.set & (c.set - 1)) && !e->too_many;
	return c;
}
