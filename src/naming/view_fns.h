/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_VIEW_FNS_H
#define MPROF_NAMING_VIEW_FNS_H

#include "profile/profile_data.h"
#include "naming/allocfn.h"

/**
 * Leave allocation functions out of the innermost ends of all chains, so that requests count for
 * their callers; then leave out all requests, with their frees, whose innermost function is in
 * @ignored (if it has no name, the innermost one that has), and those of whose chains nothing is
 * left. The totals are those of what remains, except for the peak and for truncated chains, of
 * which a profile has only the sums.
 * @alloc_fns  besides the built-in ones (naming/allocfn.h)
 * Returns 0, or -ENOMEM: @d can only be freed then.
 * Source: the rules of Massif, Valgrind manual, --alloc-fn and --ignore-fn.
 */
int view_drop_functions(struct profile_data *d, name_list alloc_fns, name_list ignored);

#endif
