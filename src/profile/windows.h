/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_WINDOWS_H
#define MPROF_PROFILE_WINDOWS_H

#include "base/idindex.h"
#include "profile/profile_data.h"

#include <stdbool.h>

/*
 * How the number of live blocks of each call site, that is each node of the call tree at which
 * requests end, goes up and down over time. Time is divided into equal windows. When there would be
 * WINDOWS_MAX, neighbours are joined, so that there are always at least half as many, once that
 * many have passed. An event touches one record; a site without events costs nothing.
 */
#define WINDOWS_MAX  64u
#define WINDOWS_NONE UINT32_MAX
/* A site with fewer requests keeps no windows: they would be too few for a verdict. */
#define WINDOWS_FEW 8u
/* The default for the shortest window. */
#define WINDOWS_SHORTEST_NS UINT64_C(1000000000)

/* A window of a site; the window is over. */
struct window_kept {
	uint64_t births, low_bytes, high_bytes;
	uint32_t low, high;
	uint32_t i;	 /* which window */
	uint32_t before; /* the one kept before it of the same site; WINDOWS_NONE: none */
};

/* A site, and the window in which it changed last: the present one, or one that is over and has not
 * been kept yet. A site has fewer than 2^32 live blocks: each takes 32 bytes elsewhere. */
struct windows_site {
	uint64_t births, bytes, low_bytes, high_bytes;
	uint32_t live, low, high;
	uint32_t i;
	uint32_t latest; /* the last one that is kept; WINDOWS_NONE: none */
	uint32_t node;
};

/* A site's floor, to restore it after a free and a request that were one realloc. */
struct windows_low {
	uint64_t bytes;
	uint32_t blocks, i;
};

/*
 * Where a site has no window, its live blocks are as at the end of its last window before. So each
 * window in which something changed is followed by the next one, even if nothing changed in that.
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
	uint32_t unused; /* head of the list of free elements of kept[], linked by before */
};

/* @shortest_ns: the length of windows at the beginning; 0: WINDOWS_SHORTEST_NS. */
void windows_init(struct windows *w, uint64_t shortest_ns);
void windows_release(struct windows *w);

/* Begin anew, with the same shortest length; sites keep their numbers. */
void windows_restart(struct windows *w);

/* Drop all windows and keep none from now on; sites keep their numbers. */
void windows_stop(struct windows *w);

/* Bytes of memory in use. */
size_t windows_used(const struct windows *w);

/* Copies the sites, without their counts. 0 or -ENOMEM. */
int windows_copy(struct windows *to, const struct windows *from);

/* The number of the site at @node. IDINDEX_NONE: out of memory. */
uint32_t windows_site_of(struct windows *w, uint32_t node);

/* Only for windows_pass() and windows_open(). */
void windows_advance(struct windows *w, uint64_t now_ns);
void windows_close(struct windows *w, struct windows_site *s);

/* Time has passed: it is @now_ns. The first call begins the first window. */
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

/* To be called before a free and a request that are one realloc; windows_lift() is called after. */
static inline struct windows_low windows_low(struct windows *w, uint32_t site)
{
	const struct windows_site *s = windows_open(w, site);

	return (struct windows_low){s->low_bytes, s->low, s->i};
}

/* Restores the floor from windows_low(), as far as the site now allows. */
void windows_lift(struct windows *w, uint32_t site, struct windows_low low);

/* How many windows are over, at the latest time that was passed. */
static inline uint32_t windows_over(const struct windows *w)
{
	return w->length_ns ? w->now : 0;
}

/* The number of the window that @ns is in. */
uint32_t windows_at(const struct windows *w, uint64_t ns);

/**
 * The windows that are over, of all sites with enough requests, sorted by site and window; the
 * member node is that of the site. *out is the caller's, to be freed with free(). 0 or -ENOMEM.
 */
int windows_list(const struct windows *w, struct pd_window **out, size_t *n);

/* Does the site have enough requests to be in that list? */
static inline bool windows_is_listed(const struct windows_site *s)
{
	return s->latest != WINDOWS_NONE || s->births >= WINDOWS_FEW;
}

#endif
