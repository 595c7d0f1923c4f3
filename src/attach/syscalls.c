/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/syscalls.h"

#include "arch/arch.h"
#include "attach/kernel.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

bool syscall_stopped(const struct kernel *kernel, pid_t tid, struct syscall_entry *entry,
		     uint64_t *n, struct syscall_call *out)
{
	struct __ptrace_syscall_info info;
	bool was_inside = entry->inside;

	if (kernel_request(kernel, PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) <= 0)
		return false;
	++*n;
	entry->inside = info.op == PTRACE_SYSCALL_INFO_ENTRY && info.arch == arch_audit;
	if (entry->inside) {
		entry->nr = info.entry.nr;
		memcpy(entry->args, info.entry.args, sizeof entry->args);
		entry->begun = *n;
		return false;
	}
	if (info.op != PTRACE_SYSCALL_INFO_EXIT || !was_inside)
		return false;
	*out = (struct syscall_call){ .nr = entry->nr, .result = (uint64_t)info.exit.rval,
				      .failed = info.exit.is_error, .begun = entry->begun,
				      .number = *n };
	memcpy(out->args, entry->args, sizeof out->args);
	return true;
}

bool page_event_of(const struct syscall_call *c, struct page_event *e)
{
	const uint64_t *a = c->args;

	if (c->failed)
		return false;
	*e = (struct page_event){ .begun = c->begun, .number = c->number };
	switch (c->nr) {
	case SYS_mmap:
		e->kind = PE_MAP;
		e->at = c->result;
		e->len = a[1];
		e->text = a[2] & PROT_EXEC;
		return true;
	case SYS_munmap:
		e->kind = PE_UNMAP;
		e->text = true;
		e->at = a[0];
		e->len = a[1];
		return true;
	case SYS_mremap:
		e->kind = a[3] & MREMAP_DONTUNMAP ? PE_REMAP_KEEP : PE_REMAP;
		e->old = a[0];
		e->old_len = a[1];
		e->at = c->result;
		e->len = a[2];
		return true;
	case SYS_brk:
		e->kind = PE_BREAK;
		e->at = c->result;
		return true;
	case SYS_shmat:
		e->kind = PE_ATTACH;
		e->at = c->result;
		return true;
	case SYS_shmdt:
		e->kind = PE_DETACH;
		e->at = a[0];
		return true;
	default:
		return false;
	}
}
