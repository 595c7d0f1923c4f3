/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_PAGES_H
#define MPROF_MASSIF_PAGES_H

#include "page_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PAGE_BYTES 4096u

/* The mapped pages of an address space, and the node of the call tree that mapped them. */
struct page_range {
	taddr start, end;
	uint32_t node;
	uint64_t born;		/* number of the event that mapped it */
};

struct pages {
	struct page_range *ranges;	/* sorted, not overlapping */
	size_t n, cap;
	taddr brk;		/* 0: not known yet */
	taddr stack_start, stack_end;	/* of the first thread; 0: not known */
};

void pages_release(struct pages *p);

/* 0 or -ENOMEM; *to can be released in any case. */
int pages_copy(struct pages *to, const struct pages *from);

/* A change of the number of bytes that a node has mapped. */
typedef void pages_change(void *ctx, uint32_t node, bool gone, uint64_t bytes);

/* Map [start, end) for r->node, in place of what is mapped there. 0, or -ENOMEM: nothing has
 * changed. */
int pages_map(struct pages *p, const struct page_range *r, pages_change *change, void *ctx);

/* Unmap those parts of [start, end) that were mapped before event @before. 0 or -ENOMEM. */
int pages_unmap(struct pages *p, taddr start, taddr end, uint64_t before, pages_change *change,
		void *ctx);

/* True if pages_unmap() would unmap anything. */
bool pages_any(const struct pages *p, taddr start, taddr end, uint64_t before);

/* The end of the range that begins at @start; 0: there is none. */
taddr pages_end_of(const struct pages *p, taddr start);

/* What an event unmaps and then maps; a range is empty if its start is its end. */
struct page_plan {
	taddr unmap, unmap_end, map, map_end;
};

/**
 * What an event does to pages. Also updates p->brk.
 * @segment_end  for PE_ATTACH: the end of the mapping
 */
struct page_plan pages_plan(struct pages *p, const struct page_event *e, taddr segment_end);

/* Reads the mappings of a process; tests have their own. */
struct page_source {
	/* Call @each for all mappings of a process but [vsyscall]. False: they cannot be read. */
	bool (*read)(pid_t pid, void (*each)(void *ctx, taddr start, taddr end, const char *name),
		     void *ctx);
};

extern const struct page_source proc_pages; /* proc(5) */

#endif
