/* SPDX-License-Identifier: BSD-2-Clause */
/* Call sites for the series: which site holds what the ends of chains held over time. */
#include "naming/resolve_internal.h"

#include "profile/own_code.h"
#include "profile/pd_series.h"

#include <errno.h>
#include <stdlib.h>

/* The innermost site of place @frame; only of those in @own, unless that is NULL. PD_NONE: there is
 * none. */
static uint32_t innermost_site(const struct resolver *r, uint32_t frame, const bool *own)
{
	const struct place_sites *ps = &r->places[frame];

	for (uint32_t i = ps->n; i--;)
		if (!own || own[r->run[ps->first + i]])
			return r->run[ps->first + i];
	return PD_NONE;
}

/* The site that holds what is held at the end of a chain: the innermost one of own code in the
 * @length places that these chains share; or if there is none, the innermost of all. */
static uint32_t holder(const struct resolver *r, uint32_t node, unsigned length, const bool *own)
{
	uint32_t innermost = innermost_site(r, r->p->nodes[node].frame, NULL);

	for (unsigned i = 0; i < length && r->start_depth[node] == NOT_START; i++) {
		const struct call_node *n = &r->p->nodes[node];
		uint32_t site = innermost_site(r, n->frame, own);

		if (site != PD_NONE)
			return site;
		node = n->parent;
	}
	return innermost;
}

int resolve_series(struct resolver *r)
{
	struct profile_data *d = r->out;
	struct kept_series k;
	int err = profile_list_series(r->p, &k);
	bool *own = err ? NULL : own_code_holders(d, NULL);

	if (err)
		return err;
	d->series = k.points;
	d->n_series = k.n;
	d->held = k.held;
	for (size_t i = 0; own && i < k.n_held; i++) {
		struct pd_held h = k.held[i];

		h.site = holder(r, h.site, k.depth, own);
		if (h.site != PD_NONE)
			d->held[d->n_held++] = h;
	}
	err = own ? pd_series_settle(d) : -ENOMEM;
	free(own);
	return err;
}
