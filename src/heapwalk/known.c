/* SPDX-License-Identifier: BSD-2-Clause */
/* The known allocators. glibc's is in every program, whether it is used or not. */
#include "heapwalk/glibc.h"
#include "heapwalk/jemalloc.h"

#include <errno.h>

const char *const heap_allocator_names[N_HEAP_ALLOCATORS] = {"glibc", "jemalloc"};

int heap_walk(const struct still *s, struct heap_walk *w)
{
	int err = jemalloc_walk(s, w);

	return err == -ENOENT ? glibc_walk(s, w) : err;
}

bool heap_has_glibc_beside(const struct still *s, const struct heap_walk *w)
{
	struct heap_walk other;

	if (w->allocator == HEAP_GLIBC || glibc_walk(s, &other))
		return false;
	const bool has = heap_walk_live(&other).n;
	heap_walk_release(&other);
	return has;
}
