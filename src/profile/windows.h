/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_WINDOWS_H
#define MPROF_PROFILE_WINDOWS_H

#include "base/idindex.h"
#include "profile/profile_data.h"

#include <stdbool.h>

/*
 * How the live blocks of each call site, that is each node of the call tree at which requests end,
 * go up and down in time. Time is cut into equal windows; before there would be WINDOWS_MAX of
 * them neighbours are joined, so that there are always between half as many and that, once half as
 * many have passed. An event touches one record; a site that is not touched costs nothing.
 */
#define WINDOWS_MAX  64u
#define WINDOWS_NONE UINT32_MAX
/* Of a site with fewer requests nothing is kept: nobody could judge it. */
#define WINDOWS_FEW 8u
/* The shortest window, if nobody wishes another. */
#define WINDOWS_SHORTEST_NS UINT64_C(1000000000)

/* A window of a site that is over. */
struct window_kept {
	uint64_t births, low_bytes, high_bytes;
	uint32_t low, high;
	uint32_t i;	 /* which window */
	uint32_t before; /* the one the site kept before it; WINDOWS_NONE: none */
};

/* A site, and the window in which it changed last: the latest, or one that is over and has not been
 * kept yet. A site has fewer than 2^32 live blocks: each takes 32 bytes elsewhere. */
struct windows_site {
	uint64_t births, bytes, low_bytes, high_bytes;
	uint32_t live, low, high;
	uint32_t i;
	uint32_t latest; /* the last one that is kept; WINDOWS_NONE: none */
	uint32_t node;
};

/* How low a site has been, for what is no change though it is told as a free and a request. */
struct windows_low {
	uint64_t bytes;
	uint32_t blocks, i;
};

/*
 * Windows come in pairs: where a site has none, its live blocks are what they were at the end of
 * the last one it has. So behind a window in which something changed stands the next one, be it
 * that nothing did.
 */
struct windows {
	uint64_t shortest_ns; /* 0: WINDOWS_SHORTEST_NS */
	uint64_t begin_ns;
	uint64_t length_ns; /* of each; 0: no time has passed yet */
	uint64_t end_ns;    /* of the latest */
	uint32_t now;	    /* the latest, from 0 on */
	struct windows_site *sites;
	size_t n_sites, cap_sites;
	struct idindex index; /* sites by node */
	struct window_kept *kept;
	size_t n_kept, cap_kept;
	uint32_t unused; /* the first of a list in kept[], by before */
};

void windows_init(struct windows *w, uint64_t shortest_ns);
void windows_release(struct windows *w);

/* Begin anew, with windows of the same shortest length; the sites keep their numbers. */
void windows_restart(struct windows *w);

/* Nothing is kept from now on, nor of what was; the sites keep their numbers. */
void windows_stop(struct windows *w);

/* Bytes that are in use. */
size_t windows_used(const struct windows *w);

/* The same sites, of which nothing has been counted. 0 or -ENOMEM. */
int windows_copy(struct windows *to, const struct windows *from);

/* The number of the site at @node. IDINDEX_NONE: out of memory. */
uint32_t windows_site_of(struct windows *w, uint32_t node);

/* For windows_pass() and windows_open() alone. */
void windows_advance(struct windows *w, uint64_t now_ns);
void windows_close(struct windows *w, struct windows_site *s);

/* It is @now_ns; the first time that is said all begins. */
static inline void windows_pass(struct windows *w, uint64_t now_ns)
{
	if (now_ns >= w->end_ns)
		windows_advance(w, now_ns);
}

static inline struct windows_site *windows_open(struct windows *w, uint32_t site)
{
	struct windows_site *s = &w->sites[site];

	if (s->i != w->now)
		windows_close(w, s);
	return s;
}

static inline void windows_birth(struct windows *w, uint32_t site, uint64_t size)
{
	struct windows_site *s = windows_open(w, site);

	s->births++;
	s->live++;
	s->bytes += size;
	if (s->live > s->high)
		s->high = s->live;
	if (s->bytes > s->high_bytes)
		s->high_bytes = s->bytes;
}

static inline void windows_death(struct windows *w, uint32_t site, uint64_t size)
{
	struct windows_site *s = windows_open(w, site);

	s->live--;
	s->bytes -= size;
	if (s->live < s->low)
		s->low = s->live;
	if (s->bytes < s->low_bytes)
		s->low_bytes = s->bytes;
}

/* A realloc is told as a free and a request: between the two the site has been no lower. */
static inline struct windows_low windows_low(struct windows *w, uint32_t site)
{
	const struct windows_site *s = windows_open(w, site);

	return (struct windows_low){s->low_bytes, s->low, s->i};
}

void windows_lift(struct windows *w, uint32_t site, struct windows_low low);

/* How many windows are over at the latest time that was told. */
static inline uint32_t windows_over(const struct windows *w)
{
	return w->length_ns ? w->now : 0;
}

/* In which window @ns was. */
uint32_t windows_at(const struct windows *w, uint64_t ns);

/**
 * The windows that are over of all sites of which there is enough, sorted by site and window; the
 * member node is that of the site. *out is the caller's. 0 or -ENOMEM.
 */
int windows_list(const struct windows *w, struct pd_window **out, size_t *n);

/* Is there enough of this site to be in that list? */
static inline bool windows_is_listed(const struct windows_site *s)
{
	return s->latest != WINDOWS_NONE || s->births >= WINDOWS_FEW;
}

#endif
