/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/sharing.h"

#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int sharing_ask(pid_t a, pid_t b)
{
	long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);

	return order < 0 ? -errno : order == 0;
}

/* Shared pages of a DAX file are dumped: the bit that matters to the fewest. core(5). */
#define FILTER_BIT (1L << 8)

/* -1: it cannot be read. */
static long read_filter(pid_t pid)
{
	char text[32];
	int fd = proc_open(pid, "coredump_filter", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : proc_pread(fd, text, sizeof text);

	if (fd >= 0)
		close(fd);
	return n > 0 ? strtol(text, NULL, 16) : -1;
}

static bool write_filter(pid_t pid, long filter)
{
	char text[32];

	snprintf(text, sizeof text, "%#lx", filter);
	return !proc_write(pid, "coredump_filter", text);
}

bool sharing_try(pid_t a, pid_t b)
{
	const long was = read_filter(a), other = was ^ FILTER_BIT;

	if (was < 0 || read_filter(b) != was || !write_filter(a, other))
		return false;
	bool shared = read_filter(a) == other && read_filter(b) == other;

	/* It may have been somebody else who has changed that of @b meanwhile. */
	return write_filter(a, was) && shared && read_filter(b) == was;
}

bool sharing_by_call(const struct proc_syscall *c, uint64_t flags, bool vforks)
{
	switch (c->number) {
	case SYS_clone:
		return c->args[0] & CLONE_VM;
	case SYS_clone3:
		return flags ? flags & CLONE_VM : vforks;
#ifdef SYS_fork /* newer machines have clone(2) alone */
	case SYS_fork:
		return false;
#endif
	default: /* vfork(2), or a call of a 32-bit program's numbers */
		return vforks;
	}
}
