/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_VIEW_H
#define MPROF_NAMING_VIEW_H

#include "profile/profile_data.h"
#include "naming/allocfn.h"

#include <stdbool.h>

enum view_types { VIEW_TYPES_ALL, VIEW_TYPES_PROGRAM, VIEW_TYPES_NONE };

/* What of a profile's names is to be seen. A zeroed struct: everything, as it is. */
struct view {
	name_list alloc_fns;	/* without these at the innermost ends of chains, NULL: those that
				   are known */
	name_list ignore_fns;	/* without what these requested */
	bool no_inlines;	/* without the functions that were inlined */
	bool short_names;	/* without template arguments and parameters; of functions and
				   types */
	bool at_peak;		/* what was live at the peak, as if it were all there was */
	bool no_site_types;	/* without the types at call sites */
	enum view_types types;	/* all; only those of the program itself; none */
};

/**
 * Leave out of a profile what a report shall not show. Allocation functions are left out
 * in any case (naming/view_fns.h). Without inlined functions what they did is their callers' doing;
 * sums stay what they are. Functions stay different ones though they may get the same name. Returns
 * 0, or -ENOMEM: @d is good for nothing but to be freed.
 */
int view_apply(const struct view *v, struct profile_data *d);

#endif
