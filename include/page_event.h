/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PAGE_EVENT_H
#define MPROF_PAGE_EVENT_H

#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a program did with its address space, one system call at a time: the interface between the
 * observer of calls and the code that counts pages. Only calls that succeeded are events.
 */
enum page_event_kind {
	PE_MAP,		/* [at, at + len) is mapped now, in place of what was there */
	PE_UNMAP,	/* [at, at + len) is not mapped any more */
	PE_REMAP,	/* [old, old + old_len) has become [at, at + len); old_len 0: it is mapped
			   twice now */
	PE_REMAP_KEEP,	/* the same, but the old range stays */
	PE_BREAK,	/* the program break is @at */
	PE_ATTACH,	/* a segment of shared memory is mapped @at; its length has to be looked
			   up */
	PE_DETACH,	/* the segment @at is not mapped any more */
};

struct page_event {
	enum page_event_kind kind;
	taddr at, old;
	uint64_t len, old_len;	/* as the program passed them; the kernel rounds up to pages */
	bool text;		/* code may have come or gone */
	/* Calls of several threads overlap: the number of the call's beginning, and of the event. A
	 * call cannot have unmapped a mapping with a greater number than its own beginning. */
	uint64_t begun, number;
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
};

#endif
