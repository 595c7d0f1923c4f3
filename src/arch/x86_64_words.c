/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of a stopped task's registers. Source: ptrace(2), PTRACE_GETREGSET. */
#include "arch/arch.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

size_t arch_words(pid_t tid, const struct arch_regs *r, uint64_t words[ARCH_WORDS])
{
	enum { GENERAL = sizeof r->user / sizeof *words };
	struct iovec vectors = {words + GENERAL, (ARCH_WORDS - GENERAL) * sizeof *words};

	_Static_assert((size_t)GENERAL < ARCH_WORDS, "there is room for vectors");
	memcpy(words, &r->user, sizeof r->user);
	/* A processor without XSAVE has no vectors that copying memory would use. */
	if (ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vectors))
		return GENERAL;
	return GENERAL + vectors.iov_len / sizeof *words;
}
