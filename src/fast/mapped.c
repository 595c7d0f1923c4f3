/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/mapped.h"

#include "base/array.h"
#include "fast/engine_internal.h"
#include "proc/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int add_range(const struct proc_map *m, void *ctx)
{
	struct mapped *r = ctx;
	struct room_range *last = r->n ? &r->v[r->n - 1] : NULL;

	if (last && last->end == m->start && !last->heap && strcmp(m->path, "[heap]") != 0 &&
	    strcmp(m->path, "[stack]") != 0) {
		last->end = m->end;
		return 0;
	}
	if (ARRAY_RESERVE(&r->v, &r->cap, r->n))
		return -ENOMEM;
	r->v[r->n++] = (struct room_range){ .start = m->start, .end = m->end,
					    .heap = !strcmp(m->path, "[heap]"),
					    .stack = !strcmp(m->path, "[stack]") };
	return 0;
}

int mapped_read(const struct engine *e, struct mapped *out)
{
	struct rlimit stack;

	*out = (struct mapped){ 0 };
	if (!prlimit(tasks_tid(e), RLIMIT_STACK, NULL, &stack) && stack.rlim_cur != RLIM_INFINITY)
		out->stack_limit = stack.rlim_cur;
	int err = proc_maps_each(tasks_tid(e), add_range, out);

	if (err)
		free(out->v);
	return err;
}
