/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPPROFILE_MAPPED_H
#define MPROF_HEAPPROFILE_MAPPED_H

#include "page_event.h"
#include "pprof/stacktable.h"

/*
 * Memory that a program has mapped itself (mmap, mremap, sbrk), by call chain: pure data. A region
 * that is unmapped piece by piece counts as one object until its last part is gone.
 */

/* A part of an object that is still mapped. */
struct mapped_part {
	taddr start, end;	/* in bytes as requested, not rounded to pages */
	uint32_t object;
	uint64_t born;		/* number of the call that mapped it */
};

/* Without parts it is unused, and @node is the next unused one. */
struct mapped_object {
	uint32_t node, parts;
};

struct mapped {
	struct mapped_part *parts;
	size_t n_parts, cap_parts;
	struct mapped_object *objects;
	size_t n_objects, cap_objects;
	uint32_t unused;	/* first unused object, plus one; 0: none */
	struct stack_table counts;	/* its elements are nodes of the call tree */
	taddr brk;		/* the program break; 0: not known */
};

void mapped_release(struct mapped *m);

/* Copy to an empty *to, which can be released in any case. 0 or -ENOMEM. */
int mapped_copy(struct mapped *to, const struct mapped *from);

/**
 * Count a call. Unmapping something that was not counted has no effect.
 * @node     end of the call's chain
 * @ignored  the call was not the program's: what it unmaps is removed, what it maps is not counted
 * 0 or -ENOMEM.
 */
int mapped_event(struct mapped *m, const struct page_event *e, uint32_t node, bool ignored);

#endif
