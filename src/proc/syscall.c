/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/syscall.h"

#include "base/text.h"
#include "proc/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int proc_syscall_parse(const char *text, struct proc_syscall *c)
{
	uint64_t v[8];
	int at = 0, n = 0;

	*c = (struct proc_syscall){ .number = -1 };
	if (text_begins(text, "running"))
		return -EBUSY;
	if (sscanf(text, "%ld%n", &c->number, &at) != 1)
		return -EINVAL;
	for (int step; n < 8 && sscanf(text + at, " %" SCNx64 "%n", &v[n], &step) == 1; n++)
		at += step;
	/* Outside of a system call there are no arguments. */
	if (n != (c->number == -1 ? 2 : 8))
		return -EINVAL;
	memcpy(c->args, v, c->number == -1 ? 0 : sizeof c->args);
	c->sp = v[n - 2];
	c->pc = v[n - 1];
	return 0;
}

int proc_syscall(pid_t tid, struct proc_syscall *c)
{
	char *text = proc_read(tid, "syscall", NULL);
	int err = text ? proc_syscall_parse(text, c) : -errno;

	free(text);
	return err;
}
