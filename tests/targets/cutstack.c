/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates on a stack of its own, takes away the upper part of that, where the callers' frames
 * are, and allocates again; by munmap, mprotect or, "truncate", by truncating the file mapped
 * there. It never returns to these frames. "ignore" or "block" as second argument is done to
 * SIGSEGV and SIGBUS. Prints how many of these signals it got.
 */
#include "target.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

enum { STACK = 1 << 16, CUT = 1 << 14, TIMES = 20, WHOLE = 5003, CUT_OFF = 5009 };

static jmp_buf back;
static char *stack;
static const char *how;
static int file = -1;
static volatile sig_atomic_t faults;

static void on_fault(int sig)
{
	(void)sig;
	faults++;
	_exit(3);
}

static void take_away(void)
{
	char *from = stack + STACK - CUT;

	if (!strcmp(how, "munmap"))
		MUST(!munmap(from, CUT));
	else if (!strcmp(how, "mprotect"))
		MUST(!mprotect(from, CUT, PROT_NONE));
	else
		MUST(!ftruncate(file, STACK - CUT));
}

static NOINLINE void leaf(size_t size)
{
	void *volatile p = malloc(size);

	free(p);
}

static NOINLINE void lower(void)
{
	for (int i = 0; i < TIMES; i++)
		leaf(WHOLE);
	take_away();
	for (int i = 0; i < TIMES; i++)
		leaf(CUT_OFF);
	longjmp(back, 1);
}

/* So that what it calls has its frames below what is taken away. */
static NOINLINE void upper(void)
{
	char *volatile room = alloca(STACK / 2);

	room[0] = 1;
	lower();
	room[1] = 1;
}

static void switch_to(char *top)
{
	__asm__ volatile("mov %0, %%rsp\n\tcall *%1" : : "r"(top), "r"(upper) : "memory");
	__builtin_unreachable();
}

static void set_signals(const char *what)
{
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGSEGV);
	sigaddset(&both, SIGBUS);
	MUST(signal(SIGSEGV, strcmp(what, "ignore") ? on_fault : SIG_IGN) != SIG_ERR);
	MUST(signal(SIGBUS, strcmp(what, "ignore") ? on_fault : SIG_IGN) != SIG_ERR);
	if (!strcmp(what, "block"))
		MUST(!sigprocmask(SIG_BLOCK, &both, NULL));
}

int main(int argc, char **argv)
{
	MUST(argc > 1);
	how = argv[1];
	set_signals(argc > 2 ? argv[2] : "");
	if (!strcmp(how, "truncate")) {
		file = memfd_create("stack", MFD_CLOEXEC);
		MUST(file >= 0 && !ftruncate(file, STACK));
	}
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
		     file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
	MUST(stack != MAP_FAILED);
	if (!setjmp(back))
		switch_to(stack + STACK - 4096);
	leaf(WHOLE);
	printf("%d faults\n", (int)faults);
	return 0;
}
