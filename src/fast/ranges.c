/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/ranges.h"

#include "base/array.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* The lowest address of the first thread's stack, which grows down to its limit or the next
 * mapping. */
static taddr stack_may_begin(const struct ranges *r, const struct proc_map *m)
{
	taddr lowest = r->stack_limit < m->end ? m->end - r->stack_limit : 0;

	if (lowest < r->end)
		lowest = r->end;
	return lowest < m->start ? lowest : m->start;
}

int ranges_add(struct ranges *r, const struct proc_map *m)
{
	bool stack = !strcmp(m->path, "[stack]");
	taddr start = stack ? stack_may_begin(r, m) : m->start;

	r->end = m->end;
	if (!m->readable || !m->writable)
		return 0;
	if (r->n && r->v[r->n - 1].hi == start && !stack && !r->apart) {
		r->v[r->n - 1].hi = m->end;
		return 0;
	}
	if (ARRAY_RESERVE(&r->v, &r->cap, r->n))
		return -ENOMEM;
	r->v[r->n++] = (struct agent_range){ start, m->end };
	return 0;
}

bool ranges_faults_show(const struct proc_status *s)
{
	const uint64_t both = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);

	return (s->blocked | s->ignored) & both;
}
