/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program may tell mprof(1) about itself. Every function here does nothing: it costs a call
 * when nobody traces, and is noticed by mprof when somebody does. Nothing has to be linked in.
 *
 * In an executable that has been stripped and was not linked with -rdynamic, mprof cannot find them.
 */
#ifndef MPROF_H
#define MPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* Weak, so that every file may include this; the empty asm keeps the compiler from dropping calls. */
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

/** Begin a new profile, which will be written to @filename (NULL: where it would be anyway). One that
 * is going on is written first. */
MPROF_MARK void mprof_restart(char *filename)
{
	__asm__ volatile("" : : "r"(filename) : "memory");
}

/*
 * A program that hands out memory by itself, from a pool, says so with these three: each block it
 * announces counts like one of malloc's, as requested by whoever calls the function. The memory that
 * the pool itself takes from malloc is counted as well. They do nothing if @addr is NULL.
 */

/** There is a block of @size bytes at @addr now. */
MPROF_MARK void mprof_malloclike(const void *addr, __SIZE_TYPE__ size)
{
	__asm__ volatile("" : : "r"(addr), "r"(size) : "memory");
}

/** The block at @addr has @size bytes now: it counts as freed and requested again. */
MPROF_MARK void mprof_resize(const void *addr, __SIZE_TYPE__ size)
{
	__asm__ volatile("" : : "r"(addr), "r"(size) : "memory");
}

/** The block at @addr is no more. */
MPROF_MARK void mprof_freelike(const void *addr)
{
	__asm__ volatile("" : : "r"(addr) : "memory");
}

#undef MPROF_MARK

#ifdef __cplusplus
}
#endif

#endif
