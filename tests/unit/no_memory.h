/* SPDX-License-Identifier: BSD-2-Clause */
/* One request for memory fails, in the test, in what it is about, and in the C library. */
#ifndef MPROF_TEST_NO_MEMORY_H
#define MPROF_TEST_NO_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
/* AddressSanitizer's, if it is there. */
extern void *__interceptor_malloc(size_t) __attribute__((weak));
extern void *__interceptor_calloc(size_t, size_t) __attribute__((weak));
extern void *__interceptor_realloc(void *, size_t) __attribute__((weak));

static long no_memory_left = -1; /* requests until the one that fails; -1: none does */

/* The request after @n others fails. */
static void no_memory_after(long n)
{
	no_memory_left = n;
}

/* None fails from here on. True: one has failed. */
static bool no_memory_end(void)
{
	const bool failed = no_memory_left < 0;

	no_memory_left = -1;
	return failed;
}

static bool no_memory_now(void)
{
	if (no_memory_left < 0 || no_memory_left--)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	if (no_memory_now())
		return NULL;
	return __interceptor_malloc ? __interceptor_malloc(n) : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	if (no_memory_now())
		return NULL;
	return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	if (no_memory_now())
		return NULL;
	return __interceptor_realloc ? __interceptor_realloc(p, n) : __libc_realloc(p, n);
}

#endif
