/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_THREADS_H
#define MPROF_TOP_THREADS_H

#include "top/rows.h"

/**
 * A row for each thread, in no order. In lines those that have ended share one, whose number is 0:
 * if threads come and go, they would be all that there is to see. Who filters looks for one of
 * them.
 * @before  the look before, if @now follows it; or NULL
 * Returns 0 or -ENOMEM; top_rows_release() is to be called in any case.
 */
int top_thread_rows(const struct top_look *now, const struct top_look *before,
		    const struct top_how *how, struct top_rows *out);

#endif
