/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wrappers: functions of the program that end by jumping to free, as compilers make them: they have
 * no frame then, and their caller seems to have called free. One allocates before it does so;
 * another, called from the same place, allocates instead.
 */
#include "target.h"

enum { TIMES = 300, FIRST = 3461, NOTE = 3463, TURN = 3467 };

static void *notes[TIMES];
static int n_notes;

/* Called from assembly. */
void note(void);

void note(void)
{
	notes[n_notes] = fill(malloc(NOTE), NOTE, n_notes);
	n_notes++;
}

void drop(void *block);
void note_and_drop(void *block);
void *drop_or_get(void *block, size_t size);
void drop_by_another(void *block);

__asm__(".text\n"
	".type drop, @function\n"
	"drop: .cfi_startproc\n"
	"	jmp free@PLT\n"
	"	.cfi_endproc\n"
	".size drop, . - drop\n"
	".type note_and_drop, @function\n"
	"note_and_drop: .cfi_startproc\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call note@PLT\n"
	"	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp free@PLT\n"
	"	.cfi_endproc\n"
	".size note_and_drop, . - note_and_drop\n"
	".type drop_or_get, @function\n"
	"drop_or_get: .cfi_startproc\n"
	"	test %rdi, %rdi\n"
	"	jnz free@PLT\n"
	"	mov %rsi, %rdi\n"
	"	jmp malloc@PLT\n"
	"	.cfi_endproc\n"
	".size drop_or_get, . - drop_or_get\n"
	".type drop_by_another, @function\n"
	"drop_by_another: .cfi_startproc\n"
	"	jmp drop\n"
	"	.cfi_endproc\n"
	".size drop_by_another, . - drop_by_another\n");

int main(void)
{
	static void *blocks[TIMES];
	void *block = fill(malloc(TURN), TURN, 0);

	for (int i = 0; i < TIMES; i++) {
		drop(fill(malloc(FIRST), FIRST, i));
		drop_by_another(fill(malloc(FIRST), FIRST, i));
		blocks[i] = fill(malloc(FIRST), FIRST, i);
	}
	/* Nothing happens between the end of one and the beginning of the next. */
	for (int i = 0; i < TIMES; i++)
		note_and_drop(blocks[i]);
	for (int i = 0; i < 2 * TIMES + 1; i++) {
		void *got = drop_or_get(block, TURN);

		block = block ? NULL : fill(got, TURN, i);
	}
	for (int i = 0; i < n_notes; i++) {
		check(notes[i], NOTE, i);
		drop(notes[i]);
	}
	bin(FIRST, 3L * TIMES, 3L * TIMES);
	bin(NOTE, TIMES, TIMES);
	bin(TURN, TIMES + 1, TIMES + 1);
	truth("unknown 0\n");
	say("wrappers: done\n");
	return 0;
}
