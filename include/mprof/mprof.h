/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions by which a program tells mprof(1) about itself. They do nothing themselves: without
 * mprof they cost a call; mprof sees the calls. No library has to be linked.
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

/** Begin a new profile, which will be written to @filename; NULL: to mprof.data or the file of
 * --data, whatever an earlier call has named. The current profile, if any, is written first. */
MPROF_MARK void mprof_restart(const char *filename)
{
	__asm__ volatile("" : : "r"(filename) : "memory");
}

/*
 * A program that hands out memory by itself, from a pool, reports it with these three: each block
 * counts like one of malloc's, as requested by the caller of the function. The memory that the pool
 * itself takes from malloc is counted as well. They do nothing if @addr is NULL.
 */

/** A block of @size bytes at @addr has been handed out. */
MPROF_MARK void mprof_malloclike(const void *addr, __SIZE_TYPE__ size)
{
	__asm__ volatile("# mprof_malloclike" : : "r"(addr), "r"(size) : "memory");
}

/** The block at @addr has @size bytes now: it counts as freed and requested again. */
MPROF_MARK void mprof_resize(const void *addr, __SIZE_TYPE__ size)
{
	__asm__ volatile("# mprof_resize" : : "r"(addr), "r"(size) : "memory");
}

/** The block at @addr has been released. */
MPROF_MARK void mprof_freelike(const void *addr)
{
	__asm__ volatile("# mprof_freelike" : : "r"(addr) : "memory");
}

/*
 * The functions of gperftools' heap profiler, under their names: mprof does what they ask for. They
 * do nothing without mprof. A program that is linked with the real library and includes its
 * <gperftools/heap-profiler.h> needs none of these: mprof answers those calls, too.
 */

/** Start recording, to files @prefix.NNNN.heap; does nothing if it is recording already. */
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

/** Not 0 while it is recording. */
MPROF_MARK int IsHeapProfilerRunning(void)
{
	int running = 0;

	__asm__ volatile("# IsHeapProfilerRunning" : "+r"(running) : : "memory");
	return running;
}

/** For GetHeapProfile(): the size of the current profile in bytes. */
MPROF_MARK unsigned long mprof_heap_profile_size(void)
{
	unsigned long size = 0;

	__asm__ volatile("# mprof_heap_profile_size" : "+r"(size) : : "memory");
	return size;
}

/** For GetHeapProfile(): copy the profile to @buffer. Returns the number of bytes. */
MPROF_MARK unsigned long mprof_heap_profile_text(char *buffer, unsigned long size)
{
	unsigned long n = 0;

	__asm__ volatile("# mprof_heap_profile_text" : "+r"(n) : "r"(buffer), "r"(size) : "memory");
	return n;
}

/** The text of the current profile, for free(); empty if it is not recording. NULL: out of
 * memory. */
MPROF_MARK char *GetHeapProfile(void)
{
	unsigned long size = mprof_heap_profile_size();
	char *text = (char *)malloc(size + 1);

	if (text)
		text[mprof_heap_profile_text(text, size)] = '\0';
	return text;
}

/* The texts in the asm keep a compiler from merging functions that are alike. */

/** Record nothing, and let the program run at full speed, until mprof_resume(). Blocks that were
 * allocated before still count. */
MPROF_MARK void mprof_suspend(void)
{
	__asm__ volatile("# mprof_suspend" : : : "memory");
}

/** Record again, after mprof_suspend(). */
MPROF_MARK void mprof_resume(void)
{
	__asm__ volatile("# mprof_resume" : : : "memory");
}

/** Put a time stamp into the event log. */
MPROF_MARK void mprof_mark(void)
{
	__asm__ volatile("# mprof_mark" : : : "memory");
}

#undef MPROF_MARK

#ifdef __cplusplus
}
#endif

#endif
