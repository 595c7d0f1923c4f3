/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PAGE_EVENT_H
#define MPROF_PAGE_EVENT_H

#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a program did with its address space, one system call at a time: the seam between whoever
 * observes calls and whoever counts pages. Only calls that succeeded are events.
 */
enum page_event_kind {
	PE_MAP,		/* [at, at + len) is mapped now, in place of what was there */
	PE_UNMAP,	/* [at, at + len) is not mapped any more */
	PE_REMAP,	/* [old, old + old_len) has become [at, at + len); old_len 0: it is mapped
			   twice now */
	PE_REMAP_KEEP,	/* the same, but the old range stays */
	PE_BREAK,	/* the program break is at */
	PE_ATTACH,	/* a segment of shared memory is mapped at; its length is to be looked up */
	PE_DETACH,	/* the segment at is not mapped any more */
};

struct page_event {
	enum page_event_kind kind;
	taddr at, old;
	uint64_t len, old_len;	/* as the program told; the kernel rounds up to pages */
	bool text;		/* code may have come or gone */
	/* Calls of several threads overlap: the number of the call when it began, and of the event.
	 * What has a greater number than this call's beginning was not there for it to unmap. */
	uint64_t begun, number;
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
};

#endif
