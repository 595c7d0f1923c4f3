/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dispatched HOW: a thread serves "take N" and "call". The main thread, and with HOW "both" that
 * one, too, are where nobody else may have them make system calls:
 *
 *	main, both	the kernel gives their system calls to the program, as a SIGSYS (Syscall
 *			User Dispatch), except for those of the C library's code
 *	later		as both, from "later" on
 *	narrow		the main thread is in 32-bit code
 *
 * "call" makes a system call that is given to the program. "report" says how many SIGSYS there were
 * for how many of these. Exits with 77 if this kernel has no such thing.
 */
#include "live.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

enum { SIZE = 2311, ON = 1, BLOCK = 1, ANSWER = 4242, NOT_THERE = 77 };

static char selector = BLOCK;
static uintptr_t libc_lo, libc_hi;
static volatile unsigned long calls, answers, signals;
static atomic_bool over, later;
static bool both;
static _Thread_local bool dispatched;

static void dispatch(void)
{
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, ON, libc_lo, libc_hi - libc_lo, &selector))
		_exit(NOT_THERE);
	dispatched = true;
}

static void answer(int sig, siginfo_t *si, void *uc)
{
	(void)sig, (void)si;
	signals++;
	((ucontext_t *)uc)->uc_mcontext.gregs[REG_RAX] = ANSWER;
}

/* By an instruction of this program. */
static void call(void)
{
	long result = SYS_getpid;

	__asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
	calls += dispatched;
	answers += result == ANSWER;
}

static void report(void)
{
	say("report %lu signals for %lu calls\n", signals, calls);
}

static void other(const char *word)
{
	static void *volatile block;

	if (!strcmp(word, "call")) {
		call();
	} else if (!strcmp(word, "later")) {
		later = true;
		dispatch();
		while (later)
			usleep(1000);
	} else {
		for (long n = atol(word + 5); n > 0; n--) {
			free(block);
			block = malloc(SIZE);
		}
	}
	say("did %s\n", word);
}

/* ---- 32-bit code ---- */

/* A page below 4 GiB, where 32-bit code can reach it. */
struct low {
	uint32_t leave;		/* not 0: back to 64-bit code */
	uint64_t sp, back;	/* the stack pointer, and where to go on, in there */
	struct __attribute__((packed)) {
		uint32_t at;
		uint16_t selector;
	} entry;
	uint8_t wide[32], narrow[32];
};

static void put(uint8_t **at, const void *bytes, size_t n)
{
	memcpy(*at, bytes, n);
	*at += n;
}

static void put_relative(uint8_t **at, const void *to)
{
	int32_t rel = (int32_t)((const uint8_t *)to - (*at + sizeof rel));

	put(at, &rel, sizeof rel);
}

static struct low *make_low(void)
{
	struct low *l = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	const uint16_t narrow = 0x23, wide = 0x33;

	MUST(l != MAP_FAILED);
	const uint32_t leave = (uint32_t)(uintptr_t)&l->leave, out = (uint32_t)(uintptr_t)l->wide;
	uint8_t *at = l->narrow;

	/* cmpl $0, %cs:leave; the other segments are those of 64-bit code, and are none here */
	put(&at, "\x2e\x83\x3d", 3), put(&at, &leave, 4), put(&at, "\0", 1);
	put(&at, "\x74\xf6", 2);					/* je to the cmpl */
	put(&at, "\xea", 1), put(&at, &out, 4), put(&at, &wide, 2);	/* ljmp $0x33, wide */
	at = l->wide;
	put(&at, "\x48\x8b\x25", 3), put_relative(&at, &l->sp);	/* mov sp(%rip), %rsp */
	put(&at, "\xff\x25", 2), put_relative(&at, &l->back);		/* jmp *back(%rip) */
	l->entry.at = (uint32_t)(uintptr_t)l->narrow;
	l->entry.selector = narrow;
	return l;
}

static NOINLINE void stay_in_32_bit_code(struct low *l)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %%rbp\n\tpush %%rbx\n\t"
			 "mov %%rsp, %1\n\t"
			 "lea 1f(%%rip), %%rdx\n\tmov %%rdx, %2\n\t"
			 "ljmp *%3\n"
			 "1:\tpop %%rbx\n\tpop %%rbp\n\tlea 128(%%rsp), %%rsp"
			 : "+a"(l), "=m"(*(volatile uint64_t *)&l->sp),
			   "=m"(*(volatile uint64_t *)&l->back)
			 : "m"(l->entry)
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
			   "r14", "r15", "memory", "cc");
}

/* ---- all of it ---- */

static void *serve(void *arg)
{
	struct low *low = arg;

	if (both)
		dispatch();
	live_serve(report, other);
	over = true;
	low->leave = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "both";
	struct sigaction sa = { .sa_sigaction = answer, .sa_flags = SA_SIGINFO };
	struct low *low = make_low();
	bool narrow = !strcmp(how, "narrow"), now = !strcmp(how, "main") || !strcmp(how, "both");
	pthread_t thread;

	find_libc(&libc_lo, &libc_hi);
	both = !strcmp(how, "both");
	MUST(!sigaction(SIGSYS, &sa, NULL));
	MUST(!pthread_create(&thread, NULL, serve, low));
	if (now)
		dispatch();
	if (narrow)
		stay_in_32_bit_code(low);
	while (!over) {
		usleep(1000);
		if (later)
			dispatch();
		later = false;
	}
	call();
	MUST(narrow || (signals == calls && answers == calls));
	say("dispatched: %lu signals for %lu calls\n", signals, calls);
	return 0;
}
