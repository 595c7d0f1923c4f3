/* SPDX-License-Identifier: BSD-2-Clause */
/* mimalloc's functions by their own names, with heaps of its own. */
#include "target.h"

void *mi_malloc(size_t);
void *mi_malloc_small(size_t);
void *mi_zalloc(size_t);
void *mi_calloc(size_t, size_t);
void *mi_realloc(void *, size_t);
void *mi_reallocf(void *, size_t);
void *mi_rezalloc(void *, size_t);
void *mi_recalloc(void *, size_t, size_t);
void *mi_expand(void *, size_t);
void mi_free(void *);
void mi_free_size(void *, size_t);
void mi_free_aligned(void *, size_t);
void *mi_malloc_aligned(size_t, size_t);
void *mi_realloc_aligned(void *, size_t, size_t);
int mi_posix_memalign(void **, size_t, size_t);
void *mi_new(size_t);
void *mi_new_n(size_t, size_t);
char *mi_strdup(const char *);
char *mi_strndup(const char *, size_t);
void *mi_heap_new(void);
void *mi_heap_malloc(void *, size_t);
void *mi_heap_calloc(void *, size_t, size_t);
void *mi_heap_realloc(void *, void *, size_t);
void *mi_heap_recalloc(void *, void *, size_t, size_t);

int main(void)
{
	void *volatile p, *heap, *q;
	char text[5300];

	for (int i = 0; i < 20; i++) {
		p = fill(mi_malloc(5201), 5201, i);
		if (i % 4 == 0)
			mi_free(p);
		else if (i % 4 == 1)
			mi_free_size(p, 5201);
		else if (i % 4 == 2)
			free(p);
	}
	bin(5201, 20, 15);
	p = mi_malloc_small(517);
	mi_free(p);
	bin(517, 1, 1);
	p = mi_zalloc(5209);
	p = mi_realloc(p, 5227);
	p = mi_rezalloc(p, 5231);
	p = mi_recalloc(p, 3, 1759);
	bin(5209, 1, 1);
	bin(5227, 1, 1);
	bin(5231, 1, 1);
	bin(5277, 1, 1);
	/* In place, or not at all. */
	MUST(mi_expand(p, 5233) == p);
	MUST(!mi_expand(p, (size_t)1 << 30));
	/* A failing mi_reallocf frees. */
	MUST(!mi_reallocf(p, PTRDIFF_MAX));
	bin(5233, 1, 1);
	truth("failed 2\n");
	p = mi_calloc(5, 1051);
	bin(5255, 1, 0);
	p = mi_malloc_aligned(5237, 64);
	p = mi_realloc_aligned(p, 5261, 64);
	mi_free_aligned(p, 64);
	MUST(!mi_posix_memalign(&q, 64, 5273));
	bin(5237, 1, 1);
	bin(5261, 1, 1);
	bin(5273, 1, 0);
	mi_free(mi_new(5279));
	p = mi_new_n(3, 1769);
	bin(5279, 1, 1);
	bin(5307, 1, 0);
	memset(text, 'x', sizeof text);
	text[5280] = '\0';
	p = mi_strdup(text);
	mi_free(p);
	p = mi_strndup(text, 5290); /* it ends before */
	p = mi_strndup(text, 5250);
	bin(5281, 2, 1);
	bin(5251, 1, 0);
	heap = mi_heap_new();
	p = mi_heap_malloc(heap, 5303);
	p = mi_heap_realloc(heap, p, 5309);
	p = mi_heap_recalloc(heap, p, 3, 1777);
	p = mi_heap_calloc(heap, 3, 1783);
	mi_free(p);
	bin(5303, 1, 1);
	bin(5309, 1, 1);
	bin(5331, 1, 0);
	bin(5349, 1, 1);
	truth("unknown 0\n");
	say("mimallocs: done\n");
	return 0;
}
