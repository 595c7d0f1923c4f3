/* SPDX-License-Identifier: BSD-2-Clause */
/* Heaps of mimalloc: destroyed with all their blocks, deleted, which keeps these, and made a
 * thread's default, so that malloc uses them. */
#include "target.h"

#include <pthread.h>

void *mi_malloc(size_t);
void *mi_realloc(void *, size_t);
void mi_free(void *);
void *mi_heap_new(void);
void mi_heap_destroy(void *);
void mi_heap_delete(void *);
void *mi_heap_set_default(void *);
void *mi_heap_malloc(void *, size_t);
void *mi_heap_calloc(void *, size_t, size_t);
void *mi_heap_realloc(void *, void *, size_t);
void *mi_heap_reallocf(void *, void *, size_t);
void *mi_heap_malloc_aligned(void *, size_t, size_t);
char *mi_heap_strdup(void *, const char *);

enum { N = 10 };

/* Freed one by one, and then the rest. */
static void destroyed(void)
{
	void *heap = mi_heap_new(), *p[N];

	for (int i = 0; i < N; i++)
		p[i] = fill(mi_heap_malloc(heap, 5401), 5401, i);
	for (int i = 0; i < 3; i++)
		mi_free(p[i]);
	mi_heap_calloc(heap, 3, 1801);
	mi_heap_malloc_aligned(heap, 5405, 64);
	mi_heap_strdup(heap, "abc");
	mi_heap_destroy(heap);
	bin(5401, N, N);
	bin(5403, 1, 1);
	bin(5405, 1, 1);
	bin(4, 1, 1);
}

/* The next heap may have the address of one that was deleted; what was in that has stayed. */
static void deleted(void)
{
	void *heap = mi_heap_new(), *p[N];

	for (int i = 0; i < N; i++)
		p[i] = fill(mi_heap_malloc(heap, 5407), 5407, i);
	mi_heap_delete(heap);
	heap = mi_heap_new();
	fill(mi_heap_malloc(heap, 5411), 5411, 1);
	mi_heap_destroy(heap);
	for (int i = 0; i < N; i++)
		check(p[i], 5407, i);
	mi_free(p[0]);
	free(p[1]);
	bin(5407, N, 2);
	bin(5411, 1, 1);
}

/* A block that is moved comes from the heap that was asked then; one that is not stays where it
 * is. */
static void resized(void)
{
	void *heap = mi_heap_new(), *in = mi_heap_malloc(heap, 5413), *out, *same;

	out = mi_realloc(in, 60013);
	same = mi_heap_malloc(heap, 5419);
	MUST(mi_realloc(same, 5417) == same);
	in = mi_heap_realloc(heap, mi_malloc(5431), 61001);
	MUST(!mi_heap_realloc(heap, in, PTRDIFF_MAX));
	MUST(!mi_heap_reallocf(heap, mi_heap_malloc(heap, 5433), PTRDIFF_MAX));
	fill(out, 60013, 7);
	mi_heap_destroy(heap);
	check(out, 60013, 7);
	bin(5413, 1, 1);
	bin(60013, 1, 0);
	bin(5419, 1, 1);
	bin(5417, 1, 1);
	bin(5431, 1, 1);
	bin(61001, 1, 1);
	bin(5433, 1, 1);
	truth("failed 2\n");
}

static void *take_as_default(void *arg)
{
	void *heap = mi_heap_new(), *before = mi_heap_set_default(heap);
	void *volatile p;

	for (int i = 0; i < N; i++)
		p = malloc(5437);
	p = realloc(p, 62003);
	p = mi_malloc(5441);
	mi_heap_set_default(before);
	p = malloc(5443);
	mi_heap_destroy(heap);
	heap = mi_heap_new();
	mi_heap_set_default(heap);
	p = malloc(5447);
	mi_heap_destroy(heap); /* which is the default no more */
	p = malloc(5449);
	(void)p;
	return arg;
}

int main(void)
{
	pthread_t t;

	destroyed();
	deleted();
	resized();
	take_as_default(NULL);
	MUST(!pthread_create(&t, NULL, take_as_default, NULL));
	pthread_join(t, NULL);
	bin(5437, 2 * N, 2 * N);
	bin(62003, 2, 2);
	bin(5441, 2, 2);
	bin(5443, 2, 0);
	bin(5447, 2, 2);
	bin(5449, 2, 0);
	truth("unknown 0\n");
	say("mipools: done\n");
	return 0;
}
