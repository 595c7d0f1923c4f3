/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/probes.h"

/* Sources: malloc(3), posix_memalign(3); the 1990 manual page of mprof. Where two names share an address, the first here names it. */
const struct probe probes[] = {
	{ "malloc", PROBE_ALLOC, 0, NO_ARG, NO_ARG, NO_ARG },
	{ "calloc", PROBE_ALLOC, 1, 0, NO_ARG, NO_ARG },
	{ "realloc", PROBE_REALLOC, 1, NO_ARG, 0, NO_ARG },
	{ "reallocarray", PROBE_REALLOC, 2, 1, 0, NO_ARG },
	{ "free", PROBE_FREE, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "memalign", PROBE_ALLOC, 1, NO_ARG, NO_ARG, NO_ARG },
	{ "aligned_alloc", PROBE_ALLOC, 1, NO_ARG, NO_ARG, NO_ARG },
	{ "posix_memalign", PROBE_ALLOC, 2, NO_ARG, NO_ARG, 0 },
	{ "valloc", PROBE_ALLOC, 0, NO_ARG, NO_ARG, NO_ARG },
	{ "pvalloc", PROBE_ALLOC, 0, NO_ARG, NO_ARG, NO_ARG },
	{ "set_mprof_autosave", MARK_AUTOSAVE, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "mprof_stop", MARK_STOP, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "mprof_restart", MARK_RESTART, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "mprof_suspend", MARK_SUSPEND, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "mprof_resume", MARK_RESUME, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "mprof_mark", MARK_STAMP, NO_ARG, NO_ARG, 0, NO_ARG },
	/* Of gperftools, or of mprof.h under the same names. */
	{ "HeapProfilerStart", ASK_HEAP_START, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "HeapProfilerStop", ASK_HEAP_STOP, NO_ARG, NO_ARG, NO_ARG, NO_ARG },
	{ "HeapProfilerDump", ASK_HEAP_DUMP, NO_ARG, NO_ARG, 0, NO_ARG },
	{ "IsHeapProfilerRunning", ASK_HEAP_RUNNING, NO_ARG, NO_ARG, NO_ARG, NO_ARG },
	{ "mprof_heap_profile_size", ASK_HEAP_SIZE, NO_ARG, NO_ARG, NO_ARG, NO_ARG },
	{ "mprof_heap_profile_text", ASK_HEAP_TEXT, 1, NO_ARG, 0, NO_ARG },
};

const size_t n_probes = sizeof probes / sizeof *probes;
