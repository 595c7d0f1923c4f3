/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_VIEW_FNS_H
#define MPROF_NAMING_VIEW_FNS_H

#include "profile/profile_data.h"
#include "naming/allocfn.h"

/**
 * Take allocation functions out of the innermost ends of all chains, so that their callers are
 * where the requests were made; then all requests whose innermost function is in @ignored (or, if
 * nothing names that one, whose innermost function that has a name is), with their frees, and those
 * of whose chains nothing is left. The totals are those of what remains,
 * but for the peak and the chains that were cut, of which a profile has only the sums.
 * @alloc_fns  besides those that are known (naming/allocfn.h)
 * Returns 0, or -ENOMEM: @d is good for nothing but to be freed.
 * Source: the rules of Massif, Valgrind manual, --alloc-fn and --ignore-fn.
 */
int view_drop_functions(struct profile_data *d, name_list alloc_fns, name_list ignored);

#endif
