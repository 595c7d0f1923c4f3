/* SPDX-License-Identifier: BSD-2-Clause */
/* jemalloc's own functions, beside the standard ones that it brings along. */
#include "target.h"

void *mallocx(size_t size, int flags);
void *rallocx(void *p, size_t size, int flags);
size_t xallocx(void *p, size_t size, size_t extra, int flags);
void dallocx(void *p, int flags);
void sdallocx(void *p, size_t size, int flags);

#define ALIGN_64 6 /* MALLOCX_ALIGN(64) */
#define ZERO 0x40  /* MALLOCX_ZERO */

int main(void)
{
	void *p[30], *volatile q;

	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(mallocx(5003, i % 2 ? ALIGN_64 | ZERO : 0), 5003, 1);
	for (size_t i = 0; i < 10; i++)
		dallocx(p[i], 0);
	for (size_t i = 10; i < 15; i++)
		sdallocx(p[i], 5003, 0);
	for (size_t i = 15; i < 19; i++)
		free(p[i]);
	for (size_t i = 20; i < 24; i++)
		p[i] = rallocx(p[i], 5009, 0);
	bin(5003, 30, 19 + 4 + 1 + 1);
	bin(5009, 4, 0);
	/* In place: a little more fits, a lot more does not, and the block stays as it was. */
	MUST(xallocx(p[24], 5011, 0, 0) >= 5011);
	bin(5011, 1, 0);
	MUST(xallocx(p[25], 5021, 64 << 20, 0) >= 5021);
	bin(5021, 1, 0);
	MUST(xallocx(p[26], (size_t)1 << 30, 0, 0) < (size_t)1 << 30);
	truth("failed 1\n");
	q = malloc(5023);
	q = realloc(q, 5039);
	free(q);
	q = calloc(3, 1693); /* 5079 */
	MUST(!posix_memalign((void **)&q, 128, 5051));
	q = aligned_alloc(256, 5120);
	free(q);
	bin(5023, 1, 1);
	bin(5039, 1, 1);
	bin(5079, 1, 0);
	bin(5051, 1, 0);
	bin(5120, 1, 1);
	truth("unknown 0\n");
	say("jemallocx: done\n");
	return 0;
}
