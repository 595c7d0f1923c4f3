/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/windows.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void windows_init(struct windows *w, uint64_t shortest_ns)
{
	*w = (struct windows){.shortest_ns = shortest_ns, .unused = WINDOWS_NONE};
}

void windows_release(struct windows *w)
{
	free(w->sites);
	free(w->kept);
	idindex_release(&w->index);
	windows_init(w, w->shortest_ns);
}

static void forget(struct windows_site *s)
{
	*s = (struct windows_site){.node = s->node, .latest = WINDOWS_NONE};
}

static void forget_time(struct windows *w)
{
	free(w->kept);
	w->kept = NULL;
	w->n_kept = w->cap_kept = 0;
	w->unused = WINDOWS_NONE;
	w->begin_ns = w->length_ns = w->end_ns = 0;
	w->now = 0;
}

void windows_restart(struct windows *w)
{
	for (size_t i = 0; i < w->n_sites; i++)
		forget(&w->sites[i]);
	forget_time(w);
}

/* No window ever ends: live blocks are still counted, all in the first one. */
void windows_stop(struct windows *w)
{
	for (size_t i = 0; i < w->n_sites; i++) {
		w->sites[i].latest = WINDOWS_NONE;
		w->sites[i].i = 0;
	}
	forget_time(w);
	w->end_ns = UINT64_MAX;
}

size_t windows_used(const struct windows *w)
{
	return w->n_sites * sizeof *w->sites + w->n_kept * sizeof *w->kept +
	       idindex_memory(&w->index);
}

int windows_copy(struct windows *to, const struct windows *from)
{
	size_t bytes = from->n_sites * sizeof *from->sites;

	windows_init(to, from->shortest_ns);
	if (!from->n_sites)
		return 0;
	to->sites = malloc(bytes);
	if (!to->sites || idindex_copy(&to->index, &from->index))
		return -ENOMEM;
	memcpy(to->sites, from->sites, bytes);
	to->n_sites = to->cap_sites = from->n_sites;
	windows_restart(to);
	return 0;
}

/* ---- sites ---- */

static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct windows *)owner)->sites[id].node == *(const uint32_t *)key;
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return hash_mix(((const struct windows *)owner)->sites[id].node);
}

uint32_t windows_site_of(struct windows *w, uint32_t node)
{
	uint64_t hash = hash_mix(node);
	uint32_t id = idindex_find(&w->index, hash, site_eq, w, &node);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)w->n_sites;
	if (ARRAY_RESERVE(&w->sites, &w->cap_sites, w->n_sites) ||
	    idindex_add(&w->index, id, hash, site_rehash, w))
		return IDINDEX_NONE;
	w->sites[w->n_sites++] = (struct windows_site){
		.node = node,
		.i = w->now,
		.latest = WINDOWS_NONE,
	};
	return id;
}

/* ---- windows that are over ---- */

/* A free element of kept[]; WINDOWS_NONE: out of memory. */
static uint32_t take_kept(struct windows *w)
{
	uint32_t at = w->unused;

	if (at != WINDOWS_NONE) {
		w->unused = w->kept[at].before;
		return at;
	}
	if (w->n_kept >= WINDOWS_NONE || ARRAY_RESERVE(&w->kept, &w->cap_kept, w->n_kept))
		return WINDOWS_NONE;
	return (uint32_t)w->n_kept++;
}

static void give_kept(struct windows *w, uint32_t at)
{
	w->kept[at].before = w->unused;
	w->unused = at;
}

static struct window_kept changed(const struct windows_site *s)
{
	return (struct window_kept){s->births, s->low_bytes, s->high_bytes, s->low,
				    s->high,   s->i,	     s->latest};
}

/* A window in which nothing changes. */
static struct window_kept unchanged(const struct windows_site *s, uint32_t i)
{
	return (struct window_kept){0, s->bytes, s->bytes, s->live, s->live, i, s->latest};
}

static bool keep(struct windows *w, struct windows_site *s)
{
	uint32_t first = take_kept(w), next = WINDOWS_NONE;
	bool gap = w->now > s->i + 1;

	if (first == WINDOWS_NONE)
		return false;
	if (gap && (next = take_kept(w)) == WINDOWS_NONE) {
		give_kept(w, first);
		return false;
	}
	w->kept[first] = changed(s);
	s->latest = first;
	if (!gap)
		return true;
	w->kept[next] = unchanged(s, s->i + 1);
	s->latest = next;
	return true;
}

/*
 * The window in which @s changed last is over. Without memory it is prolonged: what happens now
 * counts as if it had happened then, and its floor and ceiling cover both. The same is done for a
 * site's first few requests, whose windows would take more memory than they are worth.
 */
void windows_close(struct windows *w, struct windows_site *s)
{
	if (windows_is_listed(s)) {
		if (!keep(w, s))
			return;
		s->births = 0;
		s->low = s->high = s->live;
		s->low_bytes = s->high_bytes = s->bytes;
	}
	s->i = w->now;
}

void windows_lift(struct windows *w, uint32_t site, struct windows_low low)
{
	struct windows_site *s = &w->sites[site];

	if (s->i != low.i)
		return;
	s->low = low.blocks < s->live ? low.blocks : s->live;
	s->low_bytes = low.bytes < s->bytes ? low.bytes : s->bytes;
}

/* ---- time ---- */

static void join(struct window_kept *to, const struct window_kept *k)
{
	to->births += k->births;
	to->low = k->low < to->low ? k->low : to->low;
	to->high = k->high > to->high ? k->high : to->high;
	to->low_bytes = k->low_bytes < to->low_bytes ? k->low_bytes : to->low_bytes;
	to->high_bytes = k->high_bytes > to->high_bytes ? k->high_bytes : to->high_bytes;
}

static void join_into_latest(struct windows_site *s, const struct window_kept *k)
{
	struct window_kept sum = changed(s);

	join(&sum, k);
	s->births = sum.births;
	s->low = sum.low;
	s->high = sum.high;
	s->low_bytes = sum.low_bytes;
	s->high_bytes = sum.high_bytes;
}

/* Two windows become one. If nothing changed in the newer one, nor for a while after it, that is
 * true of the next joined window now: the newer one takes its place. @next: the first window behind
 * the two that the site has. */
static void join_pair(struct windows *w, uint32_t newer, uint32_t next)
{
	struct window_kept *n = &w->kept[newer], *o = &w->kept[n->before];
	uint32_t older = n->before;

	if (next > n->i + 1) {
		join(o, n);
		n->i++;
		return;
	}
	join(n, o);
	n->before = o->before;
	give_kept(w, older);
}

/* Joins the windows of a site in pairs. If it has only one of a pair, the other is like the site's
 * last window before, which is how the one it has begins. */
static void join_site(struct windows *w, struct windows_site *s)
{
	uint32_t next = s->i /= 2;

	for (uint32_t at = s->latest; at != WINDOWS_NONE; at = w->kept[at].before)
		w->kept[at].i /= 2;
	while (s->latest != WINDOWS_NONE && w->kept[s->latest].i == s->i) {
		uint32_t at = s->latest;

		join_into_latest(s, &w->kept[at]);
		s->latest = w->kept[at].before;
		give_kept(w, at);
	}
	for (uint32_t newer = s->latest; newer != WINDOWS_NONE; newer = w->kept[newer].before) {
		uint32_t i = w->kept[newer].i, older = w->kept[newer].before;

		if (older != WINDOWS_NONE && w->kept[older].i == i)
			join_pair(w, newer, next);
		next = i;
	}
}

void windows_advance(struct windows *w, uint64_t now_ns)
{
	if (!w->length_ns) {
		w->begin_ns = now_ns;
		w->length_ns = w->shortest_ns ? w->shortest_ns : WINDOWS_SHORTEST_NS;
	}
	uint64_t passed = (now_ns - w->begin_ns) / w->length_ns;

	for (; passed >= WINDOWS_MAX; passed /= 2) {
		for (size_t i = 0; i < w->n_sites; i++)
			join_site(w, &w->sites[i]);
		w->length_ns *= 2;
		w->now /= 2;
	}
	w->now = (uint32_t)passed;
	w->end_ns = w->begin_ns + (passed + 1) * w->length_ns;
}

uint32_t windows_at(const struct windows *w, uint64_t ns)
{
	uint64_t i = w->length_ns && ns > w->begin_ns ? (ns - w->begin_ns) / w->length_ns : 0;

	return i < w->now ? (uint32_t)i : w->now;
}

/* ---- what there is at the end ---- */

struct window_list {
	struct pd_window *v;
	size_t n, cap;
};

static int list_one(struct window_list *l, uint32_t node, const struct window_kept *k)
{
	if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
		return -ENOMEM;
	l->v[l->n++] = (struct pd_window){node,	   k->i,	 k->births,    k->low,
					  k->high, k->low_bytes, k->high_bytes};
	return 0;
}

static void reverse(struct pd_window *v, size_t n)
{
	for (size_t i = 0, j = n; i + 1 < j; i++) {
		struct pd_window first = v[i];

		v[i] = v[--j];
		v[j] = first;
	}
}

/* The kept windows are linked from the last to the first. */
static int list_site(const struct windows *w, const struct windows_site *s, struct window_list *l)
{
	size_t first = l->n;
	struct window_kept last = changed(s), next = unchanged(s, s->i + 1);

	for (uint32_t at = s->latest; at != WINDOWS_NONE; at = w->kept[at].before)
		if (list_one(l, s->node, &w->kept[at]))
			return -ENOMEM;
	reverse(l->v + first, l->n - first);
	if (last.i < w->now && list_one(l, s->node, &last))
		return -ENOMEM;
	return next.i < w->now ? list_one(l, s->node, &next) : 0;
}

int windows_list(const struct windows *w, struct pd_window **out, size_t *n)
{
	struct window_list l = {0};
	int err = 0;

	for (size_t i = 0; !err && i < w->n_sites && windows_over(w); i++)
		if (windows_is_listed(&w->sites[i]))
			err = list_site(w, &w->sites[i], &l);
	*out = l.v;
	*n = l.n;
	return err;
}
