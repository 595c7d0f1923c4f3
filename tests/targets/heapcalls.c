/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls the functions of gperftools' heap profiler, from mprof.h or (REAL) from the library's
 * header, and prints their results. heapcalls [fork] */
#include "target.h"

#ifdef REAL
#include <gperftools/heap-profiler.h>
#else
#include "mprof/mprof.h"
#endif

static void *volatile blocks[64];

NOINLINE static void take_blocks(int from, int n)
{
	for (int i = from; i < from + n; i++)
		blocks[i] = malloc(7000);
	STAY();
}

static void say_first_line(void)
{
	char *text = GetHeapProfile();

	say("text %d %.*s\n", text && text[0] != 0, text ? (int)strcspn(text, "\n") : 0,
	    text ? text : "");
	free(text);
}

int main(void)
{
	take_blocks(0, 3);
	say("running %d\n", IsHeapProfilerRunning() != 0);
	HeapProfilerDump("nothing runs");
	HeapProfilerStart("mine");
	HeapProfilerStart("ignored");
	say("running %d\n", IsHeapProfilerRunning() != 0);
	take_blocks(3, 4);
	free(blocks[0]); /* from before */
	HeapProfilerDump("first");
	say_first_line();
	free(blocks[3]);
	HeapProfilerStop();
	say("running %d\n", IsHeapProfilerRunning() != 0);
	say_first_line();
	HeapProfilerStart("other");
	take_blocks(7, 2);
	free(blocks[4]); /* from before the stop */
	HeapProfilerDump("second");
	take_blocks(9, 1);
	return 0;
}
