/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_ARCH_X86_64_RUN_H
#define MPROF_TEST_ARCH_X86_64_RUN_H

/*
 * Runs code with given values of all registers, in this process, on a stack of its own, and returns
 * the results. A test includes this once.
 */
#include "unit/unit.h"

#include "taddr.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { RUN_RAX, RUN_RCX, RUN_RDX, RUN_RBX, RUN_RSP, RUN_RBP, RUN_RSI, RUN_RDI, RUN_REGS = 16 };

/* Those that instructions set for conditions. */
enum { RUN_CF = 1, RUN_PF = 4, RUN_AF = 0x10, RUN_ZF = 0x40, RUN_SF = 0x80, RUN_OF = 0x800 };
#define RUN_STATUS (RUN_CF | RUN_PF | RUN_AF | RUN_ZF | RUN_SF | RUN_OF)

struct run_state {
	uint64_t regs[RUN_REGS];
	uint64_t flags;
};

/* For run_code_now(): what it begins and ends with, where it goes, and our own stack pointer. */
struct run_state run_in, run_out;
uint64_t run_entry, run_own_sp;

/*
 * Call run_entry with the registers of run_in. Their stack pointer is the one before the call
 * pushes the return address.
 */
void run_code_now(void);

/* All general registers but the stack pointer, with where run_state has them. */
#define RUN_EACH(what) \
	what("rax", "0") what("rcx", "8") what("rdx", "16") what("rbx", "24") \
	what("rbp", "40") what("rsi", "48") what("rdi", "56") what("r8", "64") \
	what("r9", "72") what("r10", "80") what("r11", "88") what("r12", "96") \
	what("r13", "104") what("r14", "112") what("r15", "120")
#define RUN_LOAD(reg, offset) "mov run_in+" offset "(%rip), %" reg "\n"
#define RUN_STORE(reg, offset) "mov %" reg ", run_out+" offset "(%rip)\n"

__asm__(".text\n"
	".globl run_code_now\n"
	"run_code_now:\n"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, run_own_sp(%rip)\n"
	"mov run_in+32(%rip), %rsp\n"
	"push run_in+128(%rip)\n"
	"popf\n"
	RUN_EACH(RUN_LOAD)
	"call *run_entry(%rip)\n"
	RUN_EACH(RUN_STORE)
	"mov %rsp, run_out+32(%rip)\n"
	"mov run_own_sp(%rip), %rsp\n"
	"pushf\n"
	"pop run_out+128(%rip)\n"
	"cld\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"ret\n");

static struct run_state run_code(const void *entry, const struct run_state *in)
{
	run_in = *in;
	run_entry = (uintptr_t)entry;
	run_code_now();
	return run_out;
}

/* Memory for code at a given address; NULL: it is taken. */
static uint8_t *run_map(taddr at, size_t size)
{
	void *m = mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

static const char *const run_names[RUN_REGS] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
						 "rsi", "rdi", "r8",  "r9",  "r10", "r11",
						 "r12", "r13", "r14", "r15" };

/* The register in which two states differ, "flags", or NULL. */
static const char *run_difference(const struct run_state *a, const struct run_state *b)
{
	for (unsigned i = 0; i < RUN_REGS; i++)
		if (a->regs[i] != b->regs[i])
			return run_names[i];
	return a->flags != b->flags ? "flags" : NULL;
}

#endif
