/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_PROBES_H
#define MPROF_BREAKPOINTS_PROBES_H

#include <stddef.h>
#include <stdint.h>

/* The functions that are trapped, as data: what each does and where it has its arguments. */
enum probe_kind {
	PROBE_ALLOC,	/* gives a new block */
	PROBE_REALLOC,	/* gives a block for another, or a new one for none */
	PROBE_FREE,	/* takes a block */
	/* the functions of mprof.h, which do nothing but be called */
	MARK_AUTOSAVE,	/* set_mprof_autosave(count) */
	MARK_STOP,	/* mprof_stop() */
	MARK_RESTART,	/* mprof_restart(filename) */
	MARK_SUSPEND,	/* mprof_suspend() */
	MARK_RESUME,	/* mprof_resume() */
	MARK_STAMP,	/* mprof_mark() */
	/* functions that we answer in their place: they return at once, with our result */
	ASK_HEAP_START,	/* HeapProfilerStart(prefix) */
	ASK_HEAP_STOP,	/* HeapProfilerStop() */
	ASK_HEAP_DUMP,	/* HeapProfilerDump(reason) */
	ASK_HEAP_RUNNING, /* IsHeapProfilerRunning() */
	ASK_HEAP_SIZE,	/* mprof_heap_profile_size(): bytes of the text; the next malloc is for it */
	ASK_HEAP_TEXT,	/* mprof_heap_profile_text(buffer, size) */
};

#define NO_ARG 0xff	/* the function has no such argument */

struct probe {
	const char *name;
	enum probe_kind kind;
	uint8_t size_arg;	/* bytes, or bytes an element */
	uint8_t count_arg;	/* number of elements */
	uint8_t ptr_arg;	/* the block that is freed or resized */
	uint8_t out_arg;	/* where the new block's address is stored; the result is 0 on success */
};

extern const struct probe probes[];
extern const size_t n_probes;

#endif
