/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls in the name of a stopped task. Source: System V x86-64 psABI, A.2.1; syscall(2). */
#include "arch/arch.h"

#include <string.h>

static const uint8_t syscall_insn[] = { 0x0f, 0x05 };

const uint8_t *arch_find_syscall(const uint8_t *code, size_t len)
{
	return memmem(code, len, syscall_insn, sizeof syscall_insn);
}

struct arch_regs arch_syscall_regs(const struct arch_regs *was, taddr at, long nr,
				   const uint64_t arg[6])
{
	struct arch_regs r = *was;

	r.user.rip = at;
	r.user.rax = (unsigned long long)nr;
	/* Or the kernel would go on with the call that the task was in. */
	r.user.orig_rax = (unsigned long long)-1;
	r.user.rdi = arg[0];
	r.user.rsi = arg[1];
	r.user.rdx = arg[2];
	r.user.r10 = arg[3];
	r.user.r8 = arg[4];
	r.user.r9 = arg[5];
	return r;
}

bool arch_syscall_done(const struct arch_regs *r, taddr at, long *result)
{
	*result = (long)r->user.rax;
	return r->user.rip == at + sizeof syscall_insn;
}

uint64_t arch_thread_pointer_of(const struct arch_regs *r)
{
	return r->user.fs_base;
}
