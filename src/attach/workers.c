/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/workers.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int workers_add(struct workers *w, pid_t tid)
{
	if (ARRAY_RESERVE(&w->v, &w->cap, w->n))
		return -ENOMEM;
	w->v[w->n++] = tid;
	return 0;
}

unsigned workers_there(const struct workers *w, const struct kernel *k)
{
	unsigned there = 0;

	for (size_t i = 0; i < w->n; i++)
		there += k->is_worker(k->ctx, w->v[i]);
	return there;
}

void workers_release(struct workers *w)
{
	free(w->v);
	*w = (struct workers){ 0 };
}
