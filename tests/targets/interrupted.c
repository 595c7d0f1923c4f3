/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timer's handler allocates wherever it interrupts main, which allocates in a loop, except in the
 * C library, which may be in the middle of a change. The size of a request tells where it was made:
 * in the program's own code, or in code of neither, which a tracer has put before the library's
 * functions. Ends when it has allocated there as often as the argument says, and prints both
 * numbers. With another argument the loop is called by a function whose frame is found by a
 * register that the loop does not change.
 */
#include "target.h"

#include <link.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

enum { IN_PROGRAM = 4003, IN_BETWEEN = 4001, MOST = 100000 };

struct range {
	uintptr_t start, end;
};

static struct range libraries[16];
static size_t n_libraries;
static struct range program;
static volatile sig_atomic_t in_program, in_between, is_set;
static volatile int until;

static int note_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct range *r = *info->dlpi_name ? &libraries[n_libraries++] : &program;

	(void)size, (void)arg;
	*r = (struct range){ UINTPTR_MAX, 0 };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < r->start)
			r->start = info->dlpi_addr + p->p_vaddr;
		if (info->dlpi_addr + p->p_vaddr + p->p_memsz > r->end)
			r->end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	return n_libraries == 16;
}

static int in(const struct range *r, uintptr_t pc)
{
	return pc >= r->start && pc < r->end;
}

static NOINLINE void handler_leaf(size_t size)
{
	void *volatile p = malloc(size);

	MUST(p);
}

static void handler(int sig, siginfo_t *si, void *context)
{
	uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)sig, (void)si;
	is_set = 0;
	for (size_t i = 0; i < n_libraries; i++)
		if (in(&libraries[i], pc))
			return;
	if (in(&program, pc)) {
		if (in_program >= MOST)
			return;
		in_program++;
		handler_leaf(IN_PROGRAM);
	} else {
		in_between++;
		handler_leaf(IN_BETWEEN);
	}
}

/* Again and again, but not by itself: where a handler takes longer than until the next one nothing
 * else would ever run. */
static inline bool goes_on(void)
{
	const struct itimerval soon = { { 0, 0 }, { 0, 50 } };

	if (!is_set) {
		is_set = 1;
		MUST(!setitimer(ITIMER_REAL, &soon, NULL));
	}
	return in_between < until;
}

static NOINLINE void busy(void)
{
	while (goes_on()) {
		void *volatile p = malloc(64);

		p = realloc(p, 640);
		free(p);
		p = calloc(2, 32);
		free(p);
	}
}

void by_register(void (*f)(void));
__asm__(".pushsection .text\n"
	".globl by_register\n"
	".type by_register, @function\n"
	"by_register:\n"
	".cfi_startproc\n"
	"	push %rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	"	mov %rsp, %rbx\n	.cfi_def_cfa_register rbx\n"
	"	and $-16, %rsp\n"
	"	call *%rdi\n"
	"	mov %rbx, %rsp\n	.cfi_def_cfa_register rsp\n"
	"	pop %rbx\n	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size by_register, . - by_register\n"
	".popsection\n");

/* Keeps nothing in a register that its caller wants back. */
static NOINLINE void busy_alone(void)
{
	while (goes_on())
		free(malloc(64));
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct itimerval never = { 0 };

	until = argc > 1 ? atoi(argv[1]) : 0;
	dl_iterate_phdr(note_object, NULL);
	MUST(n_libraries && n_libraries < 16);
	/* So that the dynamic linker has nothing left to do. */
	for (int i = 0; i < 10; i++)
		free(realloc(calloc(1, 10), 20));
	MUST(!sigaction(SIGALRM, &sa, NULL));
	if (argc > 2)
		by_register(busy_alone);
	else
		busy();
	MUST(!setitimer(ITIMER_REAL, &never, NULL));
	printf("%d %d\n", (int)in_program, (int)in_between);
	return 0;
}
