/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROGRAM_MARK_H
#define MPROF_PROGRAM_MARK_H

#include <sys/types.h>

/*
 * What a program tells its observer, or asks it, by calling a function: those of mprof.h, and those
 * of gperftools' heap profiler.
 */

struct address_space;

/* The calling thread. */
struct task_ref {
	pid_t tid;
	struct address_space *space;	/* its memory */
};

/* Functions of mprof.h, which do nothing themselves; and one whose calls the tracer has to see. */
enum program_mark {
	MARK_NONE,
	MARK_AUTOSAVE,	/* set_mprof_autosave(count) */
	MARK_STOP,	/* mprof_stop() */
	MARK_RESTART,	/* mprof_restart(filename) */
	MARK_SUSPEND,	/* mprof_suspend() */
	MARK_RESUME,	/* mprof_resume() */
	MARK_STAMP,	/* mprof_mark() */
	MARK_CLONE,	/* __clone() of the C library: not passed to the session */
};

/* Functions that we answer instead of letting them run: they return at once, with our result. */
enum program_question {
	ASK_NOTHING,
	ASK_HEAP_START,	/* HeapProfilerStart(prefix) */
	ASK_HEAP_STOP,	/* HeapProfilerStop() */
	ASK_HEAP_DUMP,	/* HeapProfilerDump(reason) */
	ASK_HEAP_RUNNING, /* IsHeapProfilerRunning() */
	ASK_HEAP_SIZE,	/* mprof_heap_profile_size(): bytes of the text; the next malloc is for
			   it */
	ASK_HEAP_TEXT,	/* mprof_heap_profile_text(buffer, size) */
};

#endif
