/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strays: two threads call, from one place, a function that mostly returns a block of its own and
 * only now and then jumps to malloc, so that most returns to malloc's return address are not from
 * malloc.
 */
#include "target.h"

#include <pthread.h>

enum { THREADS = 2, CALLS = 3000, EVERY = 50, SIZE = 467 };

static __thread char own[SIZE];

/* By hand: a compiler may or may not make a jump of the call. */
void *hand_out(size_t size, int asks, void *mine);
__asm__(".text\n"
	".globl hand_out\n"
	".type hand_out, @function\n"
	"hand_out:\n"
	"	.cfi_startproc\n"
	"	test %esi, %esi\n"
	"	jnz malloc@PLT\n"
	"	mov %rdx, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size hand_out, . - hand_out\n");

static void *work(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		void *p = hand_out(SIZE, i % EVERY == 0, own);

		if (p != own)
			free(fill(p, SIZE, i));
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, work, NULL));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
	bin(SIZE, THREADS * CALLS / EVERY, THREADS * CALLS / EVERY);
	truth("unknown 0\n");
	say("strays: done\n");
	return 0;
}
