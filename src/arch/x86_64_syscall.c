/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls. Source: System V x86-64 psABI, A.2.1. */
#include "arch/arch.h"

#include <errno.h>
#include <string.h>

static const uint8_t insn_syscall[] = { 0x0f, 0x05 };

ssize_t arch_find_syscall(const uint8_t *code, size_t len)
{
	const uint8_t *at = memmem(code, len, insn_syscall, sizeof insn_syscall);

	return at ? at - code : -ENOENT;
}

/* The selectors of 64-bit code: the kernel's __USER_CS, and that of Xen's paravirtualized guests
 * (FLAT_RING3_CS64). */
enum { CODE_64 = 0x33, XEN_CODE_64 = 0xe033 };

bool arch_can_call(const struct arch_regs *r)
{
	return r->user.cs == CODE_64 || r->user.cs == XEN_CODE_64;
}

void arch_set_syscall(struct arch_regs *r, taddr insn, long nr, const uint64_t arg[6])
{
	struct user_regs_struct *u = &r->user;

	u->rip = insn;
	u->rax = (uint64_t)nr;
	/* Not in a system call, so that the kernel does not restart the interrupted one with these
	 * registers. */
	u->orig_rax = UINT64_MAX;
	u->rdi = arg[0];
	u->rsi = arg[1];
	u->rdx = arg[2];
	u->r10 = arg[3];
	u->r8 = arg[4];
	u->r9 = arg[5];
}

long arch_syscall(const struct arch_regs *r, uint64_t arg[6])
{
	const struct user_regs_struct *u = &r->user;
	const uint64_t args[6] = { u->rdi, u->rsi, u->rdx, u->r10, u->r8, u->r9 };

	memcpy(arg, args, sizeof args);
	return (long)u->orig_rax;
}

taddr arch_syscall_made_at(const struct arch_regs *r)
{
	return r->user.rip - sizeof insn_syscall;
}

bool arch_is_at_syscall(const struct arch_regs *r, taddr insn)
{
	return r->user.rip == insn || r->user.rip == insn + sizeof insn_syscall;
}

uint64_t arch_thread_pointer_of(const struct arch_regs *r)
{
	return r->user.fs_base;
}

bool arch_read_clock(struct arch_regs *r, const uint8_t code[2], uint64_t ticks)
{
	if (code[0] != 0x0f || code[1] != 0x31) /* rdtsc */
		return false;
	r->user.rax = (uint32_t)ticks;
	r->user.rdx = ticks >> 32;
	r->user.rip += 2;
	return true;
}
