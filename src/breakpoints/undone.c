/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs put their own code back where it was changed: is what sees calls still in place? */
#include "breakpoints/watch_internal.h"

#include "base/error.h"
#include "base/text.h"

static bool is_undone(const struct watch *w, const struct breakpoint *bp)
{
	uint8_t now;

	return bp->roles & BREAKPOINT_ENTRY && !bp->lifted &&
	       address_space_read(w->space, bp->at, &now, 1) == 1 &&
	       !breakpoint_is_in_place(w->space, bp);
}

void watch_say_undone(struct watch *w)
{
	struct error e;
	unsigned n = w->engine ? w->shared->engine->undone(w->engine) : 0;

	if (w->suspended)
		return;
	for (size_t i = 0; i < w->breakpoints.n; i++)
		n += is_undone(w, &w->breakpoints.v[i]);
	if (!n)
		return;
	error_set(&e, 0, "has changed its own code in %u function%s that %s observed there: their "
			 "calls have not been seen since",
		  n, text_plural(n), n == 1 ? "was" : "were");
	w->sink->note(w->image, e.text);
}
