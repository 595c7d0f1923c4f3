/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_BUMP_H
#define MPROF_TESTS_BUMP_H

/*
 * An allocator that the program itself exports: a pointer into 1 TiB that is reserved and never
 * touched, so that sizes above 4 GiB cost nothing, and interrupting it anywhere does no harm. No
 * address is used twice. bump_hook, if set, is called in the middle of malloc.
 *
 * -DBARE: the functions are labels, as in assembly without .type; -DINDIRECT: they are selected
 * when the program starts (ifuncs).
 */
#include "target.h"

#include <sys/mman.h>

/* The compiler must call these functions, not inline or replace them. */
#ifdef __clang__
#define CALLED __attribute__((noinline, optnone))
#else
#define CALLED __attribute__((noipa))
#endif

#ifdef BARE
#define OWN(type, name, params) \
	__asm__(".text\n.globl " #name "\n" #name ":\n\tjmp bump_" #name); \
	type bump_##name params; \
	CALLED __attribute__((used)) type bump_##name params
#elif defined(INDIRECT)
#define OWN(type, name, params) \
	static type bump_##name params; \
	static type(*choose_##name(void)) params \
	{ \
		return bump_##name; \
	} \
	type name params __attribute__((ifunc("choose_" #name))); \
	CALLED static type bump_##name params
#else
#define OWN(type, name, params) CALLED type name params
#endif

static void (*volatile bump_hook)(void);
static char *bump_base;
static _Atomic size_t bump_used;
#define BUMP_ROOM ((size_t)1 << 40)

static void *bump(size_t align, size_t n)
{
	if (!bump_base) {
		bump_base = (char *)mmap(NULL, BUMP_ROOM, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (bump_base == MAP_FAILED)
			_exit(95);
	}
	if (align < 16)
		align = 16;
	if (n > BUMP_ROOM / 2 || bump_used + n + 2 * align > BUMP_ROOM) {
		errno = ENOMEM;
		return NULL;
	}
	size_t at = (bump_used + sizeof(size_t) + align - 1) / align * align;
	memcpy(bump_base + at - sizeof(size_t), &n, sizeof n);
	bump_used = at + n;
	return bump_base + at;
}

OWN(void *, malloc, (size_t n))
{
	void *p = bump(16, n);

	if (bump_hook)
		bump_hook();
	return p;
}

OWN(void, free, (void *p))
{
	(void)p;
}

OWN(void *, calloc, (size_t n, size_t s))
{
	size_t all;

	if (__builtin_mul_overflow(n, s, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return malloc(all); /* an inner call, and fresh memory is zero */
}

OWN(void *, realloc, (void *old, size_t n))
{
	void *p = malloc(n); /* an inner call */
	size_t had = 0;

	if (old)
		memcpy(&had, (char *)old - sizeof had, sizeof had);
	if (p && old)
		memcpy(p, old, had < n ? had : n);
	if (p)
		free(old); /* an inner call too */
	return p;
}

OWN(void *, memalign, (size_t align, size_t n))
{
	return bump(align, n);
}

OWN(void *, aligned_alloc, (size_t align, size_t n))
{
	return bump(align, n);
}

OWN(int, posix_memalign, (void **to, size_t align, size_t n))
{
	if (align % sizeof(void *) || (align & (align - 1)) || !align)
		return EINVAL;
	void *p = bump(align, n);
	if (!p)
		return ENOMEM;
	*to = p;
	return 0;
}

#endif
