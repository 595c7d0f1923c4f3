/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program may tell mprof(1) about itself. Every function here does nothing: it costs a call
 * when nobody traces, and is noticed by mprof when somebody does. Nothing has to be linked in.
 *
 * In an executable that has been stripped and was not linked with -rdynamic, mprof cannot find
 * them.
 */
#ifndef MPROF_H
#define MPROF_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weak, so that every file may include this; the empty asm keeps the compiler from dropping
 * calls. */
#define MPROF_MARK __attribute__((weak, noinline, used, visibility("default")))

/** Save the profile after every @count allocations; 0: only at the end. */
MPROF_MARK void set_mprof_autosave(int count)
{
	__asm__ volatile("" : : "r"(count) : "memory");
}

/** Stop profiling and write the profile. */
MPROF_MARK void mprof_stop(void)
{
	__asm__ volatile("" : : : "memory");
}

/** Begin a new profile, which will be written to @filename; NULL: to mprof.data or what --data
 * says, whatever an earlier call has named. One that is going on is written first. */
MPROF_MARK void mprof_restart(const char *filename)
{
	__asm__ volatile("" : : "r"(filename) : "memory");
}

/*
 * A program that hands out memory by itself, from a pool, says so with these three: each block it
 * announces counts like one of malloc's, as requested by whoever calls the function. The memory
 * that the pool itself takes from malloc is counted as well. They do nothing if @addr is NULL.
 */

/** There is a block of @size bytes at @addr now. */
MPROF_MARK void mprof_malloclike(const void *addr, __SIZE_TYPE__ size)
{
	__asm__ volatile("# mprof_malloclike" : : "r"(addr), "r"(size) : "memory");
}

/** The block at @addr has @size bytes now: it counts as freed and requested again. */
MPROF_MARK void mprof_resize(const void *addr, __SIZE_TYPE__ size)
{
	__asm__ volatile("# mprof_resize" : : "r"(addr), "r"(size) : "memory");
}

/** The block at @addr is no more. */
MPROF_MARK void mprof_freelike(const void *addr)
{
	__asm__ volatile("# mprof_freelike" : : "r"(addr) : "memory");
}

/*
 * The functions of gperftools' heap profiler, under their names: mprof does what they ask for. They
 * do nothing when nobody traces. A program that is linked with the real library and includes its
 * <gperftools/heap-profiler.h> needs none of these: mprof answers those calls, too.
 */

/** Start to record, in files @prefix.NNNN.heap; nothing if it goes on already. */
MPROF_MARK void HeapProfilerStart(const char *prefix)
{
	__asm__ volatile("# HeapProfilerStart" : : "r"(prefix) : "memory");
}

/** Stop recording and forget what was recorded. */
MPROF_MARK void HeapProfilerStop(void)
{
	__asm__ volatile("# HeapProfilerStop" : : : "memory");
}

/** Write a profile now. */
MPROF_MARK void HeapProfilerDump(const char *reason)
{
	__asm__ volatile("# HeapProfilerDump" : : "r"(reason) : "memory");
}

/** Not 0 while it is recorded. */
MPROF_MARK int IsHeapProfilerRunning(void)
{
	int running = 0;

	__asm__ volatile("# IsHeapProfilerRunning" : "+r"(running) : : "memory");
	return running;
}

/** For GetHeapProfile(): bytes of the profile as it is now. */
MPROF_MARK unsigned long mprof_heap_profile_size(void)
{
	unsigned long size = 0;

	__asm__ volatile("# mprof_heap_profile_size" : "+r"(size) : : "memory");
	return size;
}

/** For GetHeapProfile(): copy these to @buffer; how many they were. */
MPROF_MARK unsigned long mprof_heap_profile_text(char *buffer, unsigned long size)
{
	unsigned long n = 0;

	__asm__ volatile("# mprof_heap_profile_text" : "+r"(n) : "r"(buffer), "r"(size) : "memory");
	return n;
}

/** The text of the profile as it is now, for free(); empty when nothing is recorded. NULL: no
 * memory. */
MPROF_MARK char *GetHeapProfile(void)
{
	unsigned long size = mprof_heap_profile_size();
	char *text = (char *)malloc(size + 1);

	if (text)
		text[mprof_heap_profile_text(text, size)] = '\0';
	return text;
}

/* The texts in the asm keep a compiler from making one function of those that look alike. */

/** From here on nothing is recorded and the program runs at full speed, until mprof_resume().
 * Blocks that were allocated before count as they did. */
MPROF_MARK void mprof_suspend(void)
{
	__asm__ volatile("# mprof_suspend" : : : "memory");
}

/** The end of mprof_suspend(). */
MPROF_MARK void mprof_resume(void)
{
	__asm__ volatile("# mprof_resume" : : : "memory");
}

/** A time stamp in the event log. */
MPROF_MARK void mprof_mark(void)
{
	__asm__ volatile("# mprof_mark" : : : "memory");
}

#undef MPROF_MARK

#ifdef __cplusplus
}
#endif

#endif
