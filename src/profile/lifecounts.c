/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/lifecounts.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lifecounts_release(struct lifecounts *c)
{
	free(c->sites);
	free(c->site_of);
	free(c->lines);
	*c = (struct lifecounts){ 0 };
}

/* Makes site_of[] large enough for @node. 0 or -ENOMEM. */
static int reserve_node(struct lifecounts *c, uint32_t node)
{
	size_t n = c->n_site_of ? c->n_site_of : 64;

	while (n <= node)
		n *= 2;
	uint32_t *larger = realloc(c->site_of, n * sizeof *larger);
	if (!larger)
		return -ENOMEM;
	memset(larger + c->n_site_of, 0, (n - c->n_site_of) * sizeof *larger);
	c->site_of = larger;
	c->n_site_of = n;
	return 0;
}

static int new_site(struct lifecounts *c, uint32_t node)
{
	if (node >= c->n_site_of && reserve_node(c, node))
		return -ENOMEM;
	if (ARRAY_RESERVE(&c->sites, &c->cap_sites, c->n_sites))
		return -ENOMEM;
	c->sites[c->n_sites] = (struct life_site){ .node = node };
	c->site_of[node] = (uint32_t)++c->n_sites;
	return 0;
}

/* NULL: out of memory. */
static struct life_site *site_of(struct lifecounts *c, uint32_t node)
{
	if ((node >= c->n_site_of || !c->site_of[node]) && new_site(c, node))
		return NULL;
	return &c->sites[c->site_of[node] - 1];
}

/* Makes sure that the bucket has a line. 0 or -ENOMEM. */
static int need_line(struct lifecounts *c, struct life_site *s, unsigned axis, uint8_t bucket)
{
	uint32_t *line = &s->line[axis][bucket / LIFE_LINE];

	if (*line)
		return 0;
	if (ARRAY_RESERVE(&c->lines, &c->cap_lines, c->n_lines))
		return -ENOMEM;
	c->lines[c->n_lines] = (struct life_line){ 0 };
	*line = (uint32_t)++c->n_lines;
	return 0;
}

static uint64_t *count_of(const struct lifecounts *c, const struct life_site *s, unsigned axis,
			  uint8_t bucket)
{
	return &c->lines[s->line[axis][bucket / LIFE_LINE] - 1].blocks[bucket % LIFE_LINE];
}

int lifecounts_add(struct lifecounts *c, uint32_t node, uint8_t events, uint8_t ns, bool temporary)
{
	struct life_site *s = site_of(c, node);

	/* On all axes or on none: all axes count the same blocks. */
	if (!s || need_line(c, s, PD_LIFE_EVENTS, events) || need_line(c, s, PD_LIFE_NS, ns))
		return -ENOMEM;
	++*count_of(c, s, PD_LIFE_EVENTS, events);
	++*count_of(c, s, PD_LIFE_NS, ns);
	s->temporary += temporary;
	return 0;
}

void lifecounts_expect(const struct lifecounts *c, uint32_t node)
{
	uint32_t site = node < c->n_site_of ? c->site_of[node] : 0;

	if (site)
		__builtin_prefetch(&c->sites[site - 1]);
}

int lifecounts_add_bucket(struct lifecounts *c, const struct pd_lifetime *l)
{
	struct life_site *s = site_of(c, l->node);

	if (!s)
		return -ENOMEM;
	if (l->axis == PD_LIFE_TEMPORARY) {
		s->temporary += l->blocks;
		return 0;
	}
	if (need_line(c, s, l->axis, l->bucket))
		return -ENOMEM;
	*count_of(c, s, l->axis, l->bucket) += l->blocks;
	return 0;
}

/* The count of a bucket, which is numbered through all axes. */
static uint64_t blocks_in(const struct lifecounts *c, const struct life_site *s, unsigned axis,
			  uint8_t bucket)
{
	if (axis == PD_LIFE_TEMPORARY)
		return s->temporary;
	return s->line[axis][bucket / LIFE_LINE] ? *count_of(c, s, axis, bucket) : 0;
}

bool lifecounts_next(const struct lifecounts *c, struct lifecounts_cursor *at,
		     struct pd_lifetime *out)
{
	enum { BUCKETS = PD_LIFE_TEMPORARY * 64 + 1 };

	for (; at->site < c->n_sites; at->site++, at->bucket = 0) {
		const struct life_site *s = &c->sites[at->site];

		while (at->bucket < BUCKETS) {
			uint8_t axis = (uint8_t)(at->bucket / 64), bucket = at->bucket % 64;
			uint64_t blocks = blocks_in(c, s, axis, bucket);

			at->bucket++;
			*out = (struct pd_lifetime){ s->node, axis, bucket, blocks };
			if (blocks)
				return true;
		}
	}
	return false;
}

void lifecounts_finish(struct lifecounts *c, const uint32_t *to)
{
	for (size_t i = 0; i < c->n_sites; i++)
		c->sites[i].node = to[c->sites[i].node];
	free(c->site_of);
	c->site_of = NULL;
	c->n_site_of = 0;
}

size_t lifecounts_memory(const struct lifecounts *c)
{
	return c->cap_sites * sizeof *c->sites + c->n_site_of * sizeof *c->site_of +
	       c->cap_lines * sizeof *c->lines;
}
