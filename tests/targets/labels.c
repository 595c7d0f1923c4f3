/* SPDX-License-Identifier: BSD-2-Clause */
/* A little Lisp: what an object is for is told to its allocator, or known from the function that
 * calls it. */
#include "target.h"

enum type { CONS = 3, FIXNUM, FLONUM, VECTOR = 40 };

static NOINLINE void *alloc_object(enum type type, size_t n)
{
	void *p = malloc(n);

	MUST(p && type);
	STAY();
	return p;
}

static NOINLINE void *raw(size_t n)
{
	void *p = malloc(n);

	STAY();
	return p;
}

/* No argument tells that it makes a cons; what it is made of does. */
static NOINLINE void *cons(void)
{
	void *p = raw(16);

	STAY();
	return p;
}

/* Its header is a vector, its body is what anybody may ask for. */
static NOINLINE void *vector(size_t n)
{
	void **v = alloc_object(VECTOR, 8);

	*v = raw(n);
	STAY();
	return v;
}

static NOINLINE void work(void)
{
	for (int i = 0; i < 7; i++)
		free(cons());
	for (int i = 0; i < 5; i++)
		alloc_object(CONS, 16);
	for (int i = 0; i < 3; i++)
		alloc_object(FLONUM, 24);
	alloc_object(FIXNUM, 16);
	for (int i = 0; i < 2; i++)
		vector(2000);
	free(raw(16));
	STAY();
}

int main(void)
{
	work();
	bin(16, 14, 8);
	bin(24, 3, 0);
	bin(8, 2, 0);
	bin(2000, 2, 0);
	say("labels: done\n");
	return 0;
}
