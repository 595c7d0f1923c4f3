/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exactly [SIGNALS [traps]]: a thread calls malloc and free without end, and each call returns to
 * another kind of instruction: one that is run from a slot, one byte long or longer, one that is
 * emulated, with a word on the stack or with flags, one that can only run in its own place. After
 * each, it checks that the instruction has run exactly once. SIGNALS: that thread gets a signal at
 * intervals of so many microseconds (0: none); traps: it handles SIGTRAP, and must not get any.
 */
#include "live.h"

#include <signal.h>
#include <sys/time.h>

static atomic_ulong rounds, wrong, handled;
static atomic_bool over;

/* 0: all is right; else which of the checks it was. */
int one_round(void);

/* clang-format off */
__asm__(".text\n"
	".type keep,@function\n"
	"keep:	mov %rax,%r13\n"
	"	inc %r14\n"
	"	ret\n"
	".size keep,.-keep\n"
	".globl one_round\n"
	".type one_round,@function\n"
	"one_round:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n	.cfi_adjust_cfa_offset 8\n"
	"	push %rbp\n	.cfi_adjust_cfa_offset 8\n"
	"	push %r12\n	.cfi_adjust_cfa_offset 8\n"
	"	push %r13\n	.cfi_adjust_cfa_offset 8\n"
	"	push %r14\n	.cfi_adjust_cfa_offset 8\n"
	"	mov %rsp,%r12\n"
	/* one byte, in a slot: run twice, or not at all, the stack is another */
	"	mov $1,%ebp\n"
	"	mov $4001,%edi\n"
	"	call malloc@PLT\n"
	"	push %rax\n"
	"	lea 8(%rsp),%rcx\n"
	"	cmp %rcx,%r12\n"
	"	jne 9f\n"
	"	pop %rdi\n"
	"	cmp %rax,%rdi\n"
	"	jne 9f\n"
	"	call free@PLT\n"
	/* emulated; from its second byte on it takes half of the pointer */
	"	mov $2,%ebp\n"
	"	mov $4002,%edi\n"
	"	call malloc@PLT\n"
	"	mov %rax,%rdi\n"
	"	cmp %rax,%rdi\n"
	"	jne 9f\n"
	"	call free@PLT\n"
	/* emulated, for its flags: of a pointer that is not NULL */
	"	mov $3,%ebp\n"
	"	mov $4003,%edi\n"
	"	call malloc@PLT\n"
	"	test %rax,%rax\n"
	"	jz 9f\n"
	"	mov %rax,%rdi\n"
	"	call free@PLT\n"
	/* emulated, with the return address on the stack */
	"	mov $4,%ebp\n"
	"	xor %r14d,%r14d\n"
	"	mov $4004,%edi\n"
	"	call malloc@PLT\n"
	"	call keep\n"
	"	cmp %rax,%r13\n"
	"	jne 9f\n"
	"	cmp $1,%r14\n"
	"	jne 9f\n"
	"	cmp %rsp,%r12\n"
	"	jne 9f\n"
	"	mov %rax,%rdi\n"
	"	call free@PLT\n"
	/* several bytes, in a slot: it counts itself */
	"	mov $5,%ebp\n"
	"	xor %r14d,%r14d\n"
	"	mov $4005,%edi\n"
	"	call malloc@PLT\n"
	"	inc %r14\n"
	"	cmp $1,%r14\n"
	"	jne 9f\n"
	"	mov %rax,%rdi\n"
	"	call free@PLT\n"
	/* in its own place only */
	"	mov $6,%ebp\n"
	"	xor %r14d,%r14d\n"
	"	lea keep(%rip),%rbx\n"
	"	mov $4006,%edi\n"
	"	call malloc@PLT\n"
	"	call *%rbx\n"
	"	cmp %rax,%r13\n"
	"	jne 9f\n"
	"	cmp $1,%r14\n"
	"	jne 9f\n"
	"	mov %rax,%rdi\n"
	"	call free@PLT\n"
	"	xor %ebp,%ebp\n"
	"	cmp %rsp,%r12\n"
	"	je 9f\n"
	"	mov $7,%ebp\n"
	"9:	mov %ebp,%eax\n"
	"	mov %r12,%rsp\n"
	"	pop %r14\n	.cfi_adjust_cfa_offset -8\n"
	"	pop %r13\n	.cfi_adjust_cfa_offset -8\n"
	"	pop %r12\n	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbp\n	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size one_round,.-one_round\n");
/* clang-format on */

static void *work(void *arg)
{
	while (!over) {
		int which = one_round();

		if (which)
			say("BROKEN check %d\n", which);
		wrong += which != 0;
		rounds++;
	}
	return arg;
}

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

static void on_trap(int sig)
{
	(void)sig;
	say("BROKEN: a SIGTRAP\n");
	wrong++;
}

static void report(void)
{
	say("report %lu rounds, %lu wrong, %lu signals\n", rounds, wrong, handled);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	MUST(signal(SIGALRM, on_signal) != SIG_ERR);
	if (argc > 2)
		MUST(signal(SIGTRAP, on_trap) != SIG_ERR);
	MUST(!pthread_create(&thread, NULL, work, NULL));
	/* The signals are the worker's. */
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	if (argc > 1) {
		struct itimerval every = { { 0, atoi(argv[1]) }, { 0, atoi(argv[1]) } };

		MUST(!setitimer(ITIMER_REAL, &every, NULL));
	}
	live_serve(report, NULL);
	over = true;
	MUST(!pthread_join(thread, NULL));
	report();
	say("checksum %s\n", wrong ? "wrong" : "right");
	return wrong ? 98 : 0;
}
