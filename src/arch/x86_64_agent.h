/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_X86_64_AGENT_H
#define MPROF_ARCH_X86_64_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the agent needs of the machine: a few instructions, and its entries. Freestanding, as it is
 * compiled into the agent; the tracer's side uses the same atomic instruction.
 *
 * Sources: Intel SDM volume 2 (RDFSBASE, CMPXCHG16B, RDTSC); System V x86-64 psABI, 3.2.
 */

/* The thread pointer. No memory is read, so this works before thread-local storage is set up. */
static inline uint64_t arch_thread_pointer(void)
{
	uint64_t v;

	__asm__ volatile("rdfsbase %0" : "=r"(v));
	return v;
}

/* Compare and swap: @pair, aligned to 16 bytes, becomes { lo, hi } if it is { was_lo, was_hi }.
 * Returns whether it was. */
static inline bool arch_swap_pair(void *pair, uint64_t was_lo, uint64_t was_hi, uint64_t lo,
				  uint64_t hi)
{
	bool done;

#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer does not see accesses in assembly. */
	extern void __tsan_release(void *);

	__tsan_release(pair);
#endif
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*(unsigned __int128 *)pair), "+a"(was_lo),
			   "+d"(was_hi)
			 : "b"(lo), "c"(hi)
			 : "memory");
	return done;
}

/* Prefetch a line that will be written to soon, and that another processor may have.
 * __builtin_prefetch would only fetch it for reading if the target may lack prefetchw; but
 * processors without it treat it as a nop (Intel, 64 bits), and all of AMD's have it. */
static inline void arch_expect_write(const void *at)
{
	__asm__ volatile("prefetchw (%0)" : : "r"(at));
}

/* The address of the return address of the function that a pad has called, if the pad was entered
 * with the stack pointer @sp: below the one or three words that the pad keeps. */
#define ARCH_PAD_RETURNS_1(sp) ((sp) - 16)
#define ARCH_PAD_RETURNS_3(sp) ((sp) - 32)

static inline void arch_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/*
 * Read a word that may not be mapped. If it is not, the tracer, which sees the SIGSEGV before the
 * program does, finds the instruction in a table and resumes the thread at its fault label: false.
 * Without a fault this costs nothing.
 */
static inline __attribute__((always_inline)) bool arch_read(uint64_t at, uint64_t *word)
{
	uint64_t v;

	__asm__ goto("1:	mov (%1), %0\n"
		     "	.pushsection agent_faults, \"a\", @progbits\n"
		     "	.long 1b - ., %l[fault] - .\n"
		     "	.popsection\n"
		     : "=r"(v)
		     : "r"(at)
		     : "memory"
		     : fault);
	*word = v;
	return true;
fault:
	return false;
}

/* The same for writing a word. */
static inline __attribute__((always_inline)) bool arch_write(uint64_t at, uint64_t word)
{
	__asm__ goto("1:	mov %1, (%0)\n"
		     "	.pushsection agent_faults, \"a\", @progbits\n"
		     "	.long 1b - ., %l[fault] - .\n"
		     "	.popsection\n"
		     :
		     : "r"(at), "r"(word)
		     : "memory"
		     : fault);
	return true;
fault:
	return false;
}

/* An entry of that table: both are relative to their own addresses. */
struct arch_fault {
	int32_t insn, behind;
};

/* The processor's clock. Not ordered with the code around it: accurate to some tens of
 * nanoseconds. */
static inline uint64_t arch_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* A function that changes only the register of its result. */
#define ARCH_CHANGES_NOTHING __attribute__((no_caller_saved_registers))

/* The caller's callee-saved registers, without the frame pointer. */
struct arch_saved {
	uint64_t r15, r14, r13, r12, rbx;
};

/*
 * Defines an entry NAME_entry of the agent: a function that pads call, of at most five arguments,
 * which calls NAME with a pointer to struct arch_saved as the sixth. Unwinding needs these
 * registers, and compiled code could not get at them any more when they are needed.
 */
#define ARCH_AGENT_ENTRY(name)                                                                    \
	__asm__(".pushsection .text." #name "_entry, \"ax\", @progbits\n"                          \
		".globl " #name "_entry\n"                                                        \
		".hidden " #name "_entry\n"                                                       \
		".type " #name "_entry, @function\n" #name "_entry:\n"                             \
		".cfi_startproc\n"                                                                \
		"	push %rbx\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r12\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r13\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r14\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r15\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	mov %rsp, %r9\n"                                                          \
		"	call " #name "\n"                                                         \
		"	add $40, %rsp\n	.cfi_adjust_cfa_offset -40\n"                              \
		"	ret\n"                                                                    \
		".cfi_endproc\n"                                                                  \
		".size " #name "_entry, . - " #name "_entry\n"                                     \
		".popsection\n")

/* Where an entry has saved the register with this number in arch_copy_saved(), if its caller's
 * stack pointer was @cfa before the call. */
#define ARCH_SAVED_AT(cfa, number) ((cfa) - 16 - 8 * (number))

/* In the order of a stack copy: rbx, r12 to r15. */
static inline void arch_copy_saved(const struct arch_saved *from, uint64_t to[5])
{
	to[0] = from->rbx;
	to[1] = from->r12;
	to[2] = from->r13;
	to[3] = from->r14;
	to[4] = from->r15;
}

#endif
