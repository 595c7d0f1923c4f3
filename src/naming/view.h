/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_VIEW_H
#define MPROF_NAMING_VIEW_H

#include "profile/profile_data.h"
#include "naming/allocfn.h"

#include <stdbool.h>

enum view_types { VIEW_TYPES_ALL, VIEW_TYPES_PROGRAM, VIEW_TYPES_NONE };

/* What a report shows of a profile. A zeroed struct: everything. */
struct view {
	name_list alloc_fns;	/* left out at the innermost ends of chains, besides the built-in
				   ones */
	name_list ignore_fns;	/* functions whose requests are left out */
	bool no_inlines;	/* without inlined functions */
	bool short_names;	/* functions and types without template arguments and
				   parameters */
	bool at_peak;		/* only what was live at the peak */
	bool no_site_types;	/* without the types at call sites */
	enum view_types types;	/* all; only the program's; none */
};

/**
 * Leave out of a profile what a report shall not show. Allocation functions are left out
 * in any case (naming/view_fns.h). What inlined functions requested counts for the functions they
 * were inlined into; sums do not change. Functions stay separate even if their names become equal.
 * Returns 0, or -ENOMEM: @d can only be freed then.
 */
int view_apply(const struct view *v, struct profile_data *d);

#endif
