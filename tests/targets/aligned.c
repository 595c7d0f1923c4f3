/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that align, with their errors. */
#include "target.h"

#include <malloc.h>

#define IS_ALIGNED(p, a) (!((uintptr_t)(p) % (a)))

int main(void)
{
	void *p, *volatile keep;
	volatile size_t odd = 3, none = 0, much = PTRDIFF_MAX, small = 4;

	for (size_t a = 8; a <= 65536; a *= 2) { /* 14 of them */
		p = NULL;
		MUST(!posix_memalign(&p, a, 5209) && IS_ALIGNED(p, a));
		free(fill(p, 5209, 1));
		MUST((p = memalign(a, 5227)) && IS_ALIGNED(p, a));
		keep = fill(p, 5227, 2);
		MUST((p = aligned_alloc(a, 5231)) && IS_ALIGNED(p, a));
		keep = fill(p, 5231, 3);
		if (a >= 64)
			free(keep);
	}
	bin(5209, 14, 14);
	bin(5227, 14, 0);
	bin(5231, 14, 11);
	for (int i = 0; i < 6; i++) {
		MUST((p = valloc(5233)) && IS_ALIGNED(p, 4096));
		free(fill(p, 5233, 4));
		MUST((p = pvalloc(5237)) && IS_ALIGNED(p, 4096));
		keep = fill(p, 5237, 5);
	}
	free(keep);
	bin(5233, 6, 6);
	bin(5237, 6, 1);

	p = &p;
	MUST(posix_memalign(&p, odd, 5261) == EINVAL && p == &p);
	MUST(posix_memalign(&p, none, 5261) == EINVAL);
	MUST(posix_memalign(&p, small, 5261) == EINVAL);
	MUST(posix_memalign(&p, 64, much) == ENOMEM && p == &p);
	MUST(!memalign(64, much));
	MUST(!posix_memalign(&p, 64, none)); /* an allocation of nothing */
	bin(0, 1, 0);
	bin(5261, 0, 0);
	truth("failed 5\n");
	say("aligned: done\n");
	return 0;
}
