/* SPDX-License-Identifier: BSD-2-Clause */
/* Finalizers of the Boehm collector: functions of the program that are called from GC_malloc. */
#include "target.h"

typedef void finalizer(void *object, void *data);

void GC_init(void);
void *GC_malloc(size_t);
void GC_register_finalizer(void *object, finalizer *, void *data, finalizer **, void **);

enum { N = 4000 };

static long gone;

static void finalize(void *object, void *data)
{
	(void)object;
	free(data);
	free(fill(malloc(7019), 7019, 1));
	gone++;
}

static NOINLINE void make(void)
{
	GC_register_finalizer(GC_malloc(6011), finalize, fill(malloc(7013), 7013, 2), NULL, NULL);
	STAY();
}

int main(void)
{
	GC_init();
	for (int i = 0; i < N; i++)
		make();
	MUST(gone > N / 2);
	bin(7013, N, gone);
	bin(7019, gone, gone);
	truth("unknown 0\n");
	say("finalizers: done\n");
	return 0;
}
