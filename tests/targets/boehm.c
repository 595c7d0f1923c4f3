/* SPDX-License-Identifier: BSD-2-Clause */
/* The Boehm collector: blocks freed explicitly, and addresses that it returns again. */
#include "target.h"

void GC_init(void);
void GC_disable(void);
void GC_enable(void);
void GC_gcollect(void);
void *GC_malloc(size_t);
void *GC_malloc_atomic(size_t);
void *GC_malloc_uncollectable(size_t);
void *GC_realloc(void *, size_t);
void *GC_memalign(size_t, size_t);
char *GC_strdup(const char *);
void GC_free(void *);

static void *kept[40];

int main(void)
{
	char text[4000];

	GC_init();
	GC_disable();
	for (size_t i = 0; i < LENGTH(kept); i++)
		kept[i] = fill(i % 2 ? GC_malloc(3001) : GC_malloc_atomic(3001), 3001, 1);
	for (size_t i = 0; i < 15; i++)
		GC_free(kept[i]);
	for (size_t i = 15; i < 20; i++)
		kept[i] = GC_realloc(kept[i], 6011);
	bin(3001, 40, 20);
	bin(6011, 5, 0);
	kept[0] = GC_malloc_uncollectable(3011);
	kept[1] = GC_realloc(NULL, 3019);
	kept[2] = GC_memalign(64, 3023);
	GC_free(kept[0]);
	bin(3011, 1, 1);
	bin(3019, 1, 0);
	bin(3023, 1, 0);
	memset(text, 'x', sizeof text);
	text[3040] = '\0';
	kept[3] = GC_strdup(text);
	bin(3041, 1, 0);
	truth("unknown 0\n");
	say("boehm: done\n");
	return 0;
}
