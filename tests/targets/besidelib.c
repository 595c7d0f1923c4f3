/* SPDX-License-Identifier: BSD-2-Clause */
/* For beside.c: an allocator with functions of known names (je_malloc), which call functions of
 * unknown names (pool_take), which call malloc. So a function that can have a pad calls one that is
 * trapped, if it is named by --hook, and that one calls a function with a pad again. */
#include "beside.h"

void (*beside_inside)(void);

/* What a function begins with, so that it can have a pad: no call is among its first
 * instructions. */
static volatile unsigned calls;

void *pool_take(size_t n)
{
	if (beside_inside)
		beside_inside();
	char *p = malloc(n + HEADER);

	STAY();
	return p ? p + HEADER : NULL;
}

void pool_give(void *p)
{
	if (beside_inside)
		beside_inside();
	free(p ? (char *)p - HEADER : NULL);
	STAY();
}

void *pool_more(void *p, size_t n)
{
	if (beside_inside)
		beside_inside();
	char *q = realloc(p ? (char *)p - HEADER : NULL, n + HEADER);

	STAY();
	return q ? q + HEADER : NULL;
}

void *je_malloc(size_t n)
{
	void *p;

	calls = calls + 1;
	p = pool_take(n);

	STAY();
	return p;
}

void *je_calloc(size_t n, size_t each)
{
	calls = calls + 1;
	void *p = pool_take(n * each);

	STAY();
	return p;
}

void *je_realloc(void *p, size_t n)
{
	calls = calls + 1;
	void *q = pool_more(p, n);

	STAY();
	return q;
}

void je_free(void *p)
{
	calls = calls + 1;
	pool_give(p);
	STAY();
}
