/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_THREADS_H
#define MPROF_TOP_THREADS_H

#include "top/rows.h"

/**
 * A row for each thread, unsorted. With how->no_zeros (for lines), threads that have ended share
 * one row with number 0: otherwise they could hide all others. With a filter they do not.
 * @before  the previous look, if @now follows it; or NULL
 * Returns 0 or -ENOMEM; top_rows_release() must be called in any case.
 */
int top_thread_rows(const struct top_look *now, const struct top_look *before,
		    const struct top_how *how, struct top_rows *out);

#endif
