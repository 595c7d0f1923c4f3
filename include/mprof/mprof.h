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

/* The texts in the asm keep a compiler from making one function of those that look alike. */

/** From here on nothing is recorded and the program runs at full speed, until mprof_resume(). Blocks
 * that were allocated before count as they did. */
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
