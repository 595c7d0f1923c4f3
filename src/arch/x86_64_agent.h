/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_X86_64_AGENT_H
#define MPROF_ARCH_X86_64_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the agent needs of the machine: a few instructions, and how it is entered. Freestanding, for
 * it is compiled into the agent; the tracer's side uses the same atomic instruction.
 *
 * Sources: Intel SDM volume 2 (RDFSBASE, CMPXCHG16B, RDTSC); System V x86-64 psABI, 3.2.
 */

/* The thread pointer: no memory is read, so that it is there before thread-local storage is. */
static inline uint64_t arch_thread_pointer(void)
{
	uint64_t v;

	__asm__ volatile("rdfsbase %0" : "=r"(v));
	return v;
}

/* @pair, aligned to 16 bytes, becomes { lo, hi } if it is { was_lo, was_hi }. Tells whether it
 * was. */
static inline bool arch_swap_pair(void *pair, uint64_t was_lo, uint64_t was_hi, uint64_t lo,
				  uint64_t hi)
{
	bool done;

#ifdef __SANITIZE_THREAD__
	/* It does not see what assembly does. */
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

/* This will be written to soon, and another processor may have it: where compilers mean a
 * processor that might not know the instruction they would only fetch it for reading. Who does not
 * know it takes it for none (Intel, 64 bits), or has it (AMD, all). */
static inline void arch_expect_write(const void *at)
{
	__asm__ volatile("prefetchw (%0)" : : "r"(at));
}

/* Where a pad that was entered with the stack pointer @sp has put the return address of the
 * function that it has called: below the words that it keeps, one or three. */
#define ARCH_PAD_RETURNS_1(sp) ((sp) - 16)
#define ARCH_PAD_RETURNS_3(sp) ((sp) - 32)

static inline void arch_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/*
 * Read a word that may not be there. If it is not, the tracer, who is told of the fault before the
 * program is, finds the instruction in a table and lets the thread go on behind it: false. This
 * costs nothing where there is no fault.
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

/* The same of a word that is written. */
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

/* An entry of that table: both are told from where they stand themselves. */
struct arch_fault {
	int32_t insn, behind;
};

/* The processor's clock. Not ordered with what stands around it: good to some tens of
 * nanoseconds. */
static inline uint64_t arch_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* A function that changes no register but the one of its result. */
#define ARCH_CHANGES_NOTHING __attribute__((no_caller_saved_registers))

/* Registers that a call leaves alone, but for the frame pointer, as the caller has them. */
struct arch_saved {
	uint64_t r15, r14, r13, r12, rbx;
};

/*
 * Defines an entry NAME_entry of the agent: a function that pads call, of at most five arguments,
 * which calls NAME with a pointer to struct arch_saved as the sixth. Unwinders ask for those
 * registers, and code made by a compiler would have lost them by the time that somebody wants to
 * know.
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

/* Where an entry has put the register with this number in arch_copy_saved(), if its caller's stack
 * pointer was @cfa before the call. */
#define ARCH_SAVED_AT(cfa, number) ((cfa) - 16 - 8 * (number))

/* In the order in which a copy of a stack tells them: rbx, r12 to r15. */
static inline void arch_copy_saved(const struct arch_saved *from, uint64_t to[5])
{
	to[0] = from->rbx;
	to[1] = from->r12;
	to[2] = from->r13;
	to[3] = from->r14;
	to[4] = from->r15;
}

#endif
