/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_X86_64_AGENT_H
#define MPROF_ARCH_X86_64_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the agent needs of the machine: a few instructions, and how it is entered. Freestanding, for it is
 * compiled into the agent; the tracer's side uses the same atomic instruction.
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

/* @pair, aligned to 16 bytes, becomes { lo, hi } if it is { was_lo, was_hi }. Tells whether it was. */
static inline bool arch_swap_pair(void *pair, uint64_t was_lo, uint64_t was_hi, uint64_t lo, uint64_t hi)
{
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*(unsigned __int128 *)pair), "+a"(was_lo),
			   "+d"(was_hi)
			 : "b"(lo), "c"(hi)
			 : "memory");
	return done;
}

static inline void arch_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/* The processor's clock. Not ordered with what stands around it: good to some tens of nanoseconds. */
static inline uint64_t arch_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/*
 * How a pad enters the agent: it has pushed rax, rcx, rdx, rsi, rdi, r8, r9, r10 and r11 in this order (a call
 * pad: rax, the status flags, rcx ...) and nothing behind them, has the address of struct agent_pending (tail form: of the return address) in rdx and
 * its function (AGENT_FUNCTION()) in esi, and calls the entry with the stack aligned as for any call. The
 * entry adds what the function's caller will find again in the registers that calls leave alone: unwinders
 * ask for them.
 */
struct arch_entry_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp;
	uint64_t pad;	/* the return address into the pad */
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx;
	uint64_t flags, rax; /* of a call pad */
};

/*
 * Defines an entry NAME_entry of the agent that calls
 *
 *	NAME(const struct arch_entry_frame *, uint32_t function, struct agent_pending *)
 */
#define ARCH_AGENT_ENTRY(name)                                                                    \
	__asm__(".pushsection .text." #name "_entry, \"ax\", @progbits\n"                          \
		".globl " #name "_entry\n"                                                        \
		".hidden " #name "_entry\n"                                                       \
		".type " #name "_entry, @function\n" #name "_entry:\n"                             \
		".cfi_startproc\n"                                                                \
		"	push %rbp\n	.cfi_adjust_cfa_offset 8\n	.cfi_offset %rbp, -16\n"  \
		"	push %rbx\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r12\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r13\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r14\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	push %r15\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	mov %rsp, %rdi\n"                                                         \
		"	sub $8, %rsp\n	.cfi_adjust_cfa_offset 8\n"                                \
		"	call " #name "\n"                                                         \
		"	add $56, %rsp\n	.cfi_adjust_cfa_offset -56\n"                              \
		"	ret\n"                                                                    \
		".cfi_endproc\n"                                                                  \
		".size " #name "_entry, . - " #name "_entry\n"                                     \
		".popsection\n")

/* The n-th argument, from 0 on, of a function that is being entered; 0 for n > 5. */
static inline uint64_t arch_entry_argument(const struct arch_entry_frame *f, uint32_t n)
{
	switch (n) {
	case 0: return f->rdi;
	case 1: return f->rsi;
	case 2: return f->rdx;
	case 3: return f->rcx;
	case 4: return f->r8;
	case 5: return f->r9;
	default: return 0;
	}
}

/* What the function has returned. */
static inline uint64_t arch_entry_result(const struct arch_entry_frame *f)
{
	return f->rax;
}

static inline uint64_t arch_entry_frame_pointer(const struct arch_entry_frame *f)
{
	return f->rbp;
}

/* The other registers that calls leave alone: rbx, r12 to r15. */
static inline void arch_entry_saved(const struct arch_entry_frame *f, uint64_t saved[5])
{
	saved[0] = f->rbx;
	saved[1] = f->r12;
	saved[2] = f->r13;
	saved[3] = f->r14;
	saved[4] = f->r15;
}

#endif
