/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPPROFILE_MAPPED_H
#define MPROF_HEAPPROFILE_MAPPED_H

#include "page_event.h"
#include "pprof/stacktable.h"

/*
 * What a program has mapped itself (mmap, mremap, sbrk), by who did: pure data. A region that is
 * unmapped in parts is an object until the last of them has gone.
 */

/* A part of an object that is still mapped. */
struct mapped_part {
	taddr start, end;	/* bytes as the program told, not rounded to pages */
	uint32_t object;
	uint64_t born;		/* number of the call that mapped it */
};

struct mapped_object {
	uint32_t node, parts;
};

struct mapped {
	struct mapped_part *parts;
	size_t n_parts, cap_parts;
	struct mapped_object *objects;
	size_t n_objects, cap_objects;
	struct stack_table counts;	/* elements: the node of the call tree */
	taddr brk;		/* the program break; 0: not known */
};

void mapped_release(struct mapped *m);

/* 0 or -ENOMEM; *to, which is empty, is fit to be released. */
int mapped_copy(struct mapped *to, const struct mapped *from);

/**
 * Count a call. What is not known to be mapped is unmapped without a trace.
 * @node     whose call it was
 * @ignored  not the program's doing: it takes away, but gives nothing to count
 * 0 or -ENOMEM.
 */
int mapped_event(struct mapped *m, const struct page_event *e, uint32_t node, bool ignored);

#endif
