/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_THREADS_H
#define MPROF_TOP_THREADS_H

#include "top/rows.h"

/**
 * A row for each thread, in no order.
 * @before  the look before, if @now follows it; or NULL
 * Returns 0 or -ENOMEM; top_rows_release() is to be called in any case.
 */
int top_thread_rows(const struct top_look *now, const struct top_look *before,
		    struct top_rows *out);

#endif
