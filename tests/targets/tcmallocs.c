/* SPDX-License-Identifier: BSD-2-Clause */
/* tcmalloc's functions by their own names. */
#include "target.h"

void *tc_malloc(size_t);
void *tc_calloc(size_t, size_t);
void *tc_realloc(void *, size_t);
void tc_free(void *);
void tc_free_sized(void *, size_t);
void tc_cfree(void *);
void *tc_memalign(size_t, size_t);
int tc_posix_memalign(void **, size_t, size_t);
void *tc_valloc(size_t);
void *tc_new(size_t);
void *tc_new_nothrow(size_t, const void *);
void *tc_newarray(size_t);
void tc_delete(void *);
void tc_delete_sized(void *, size_t);
void tc_deletearray(void *);

int main(void)
{
	void *volatile p, *q;
	char nothrow;

	for (int i = 0; i < 20; i++) {
		p = fill(tc_malloc(5101), 5101, i);
		if (i % 4 == 0)
			tc_free(p);
		else if (i % 4 == 1)
			tc_free_sized(p, 5101);
		else if (i % 4 == 2)
			tc_cfree(p);
	}
	bin(5101, 20, 15);
	p = tc_calloc(5, 1021);
	p = tc_realloc(p, 5107);
	p = tc_realloc(p, 5113);
	bin(5105, 1, 1);
	bin(5107, 1, 1);
	bin(5113, 1, 0);
	p = tc_memalign(64, 5119);
	MUST(!tc_posix_memalign(&q, 64, 5147));
	MUST(tc_posix_memalign(&q, 3, 5147));
	truth("failed 1\n");
	tc_free(q);
	p = tc_valloc(5153);
	bin(5119, 1, 0);
	bin(5147, 1, 1);
	bin(5153, 1, 0);
	tc_delete(tc_new(5167));
	tc_delete_sized(tc_new(5167), 5167);
	tc_deletearray(tc_newarray(5171));
	p = tc_new_nothrow(5179, &nothrow);
	bin(5167, 2, 2);
	bin(5171, 1, 1);
	bin(5179, 1, 0);
	truth("unknown 0\n");
	say("tcmallocs: done\n");
	return 0;
}
