/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_PAGES_H
#define MPROF_MASSIF_PAGES_H

#include "page_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PAGE_BYTES 4096u

/* The mapped pages of an address space, and which node of the call tree mapped them. */
struct page_range {
	taddr start, end;
	uint32_t node;
	uint64_t born;		/* number of the event that mapped it */
};

struct pages {
	struct page_range *ranges;	/* sorted, apart from each other */
	size_t n, cap;
	taddr brk;		/* 0: not known yet */
	taddr stack_start, stack_end;	/* of the first thread; 0: not known */
};

void pages_release(struct pages *p);

/* 0 or -ENOMEM; *to is fit to be released. */
int pages_copy(struct pages *to, const struct pages *from);

/* A change of the number of bytes that a node has mapped. */
typedef void pages_change(void *ctx, uint32_t node, bool gone, uint64_t bytes);

/* Map [start, end) by @node in place of what is there. 0 or -ENOMEM: then nothing has changed. */
int pages_map(struct pages *p, const struct page_range *r, pages_change *change, void *ctx);

/* Unmap of [start, end) what was born before @before. 0 or -ENOMEM. */
int pages_unmap(struct pages *p, taddr start, taddr end, uint64_t before, pages_change *change,
		void *ctx);

/* Whether pages_unmap() would find anything. */
bool pages_any(const struct pages *p, taddr start, taddr end, uint64_t before);

/* The end of the range that begins at @start; 0: none does. */
taddr pages_end_of(const struct pages *p, taddr start);

/* What an event unmaps, then maps; empty if the start is the end. */
struct page_plan {
	taddr unmap, unmap_end, map, map_end;
};

/**
 * Decide what an event does to pages; the break is noted.
 * @segment_end  for PE_ATTACH: the end of the mapping
 */
struct page_plan pages_plan(struct pages *p, const struct page_event *e, taddr segment_end);

/* The system's side. */
struct page_source {
	/* Tell @each of all mappings of a process but [vsyscall]. False: they cannot be read. */
	bool (*read)(pid_t pid, void (*each)(void *ctx, taddr start, taddr end, const char *name),
		     void *ctx);
};

extern const struct page_source proc_pages; /* proc(5) */

#endif
