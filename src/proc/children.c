/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/children.h"

#include "proc/file.h"
#include "proc/tasks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 10 };

static char *read_list(pid_t tid)
{
	char name[48];

	snprintf(name, sizeof name, "task/%d/children", (int)tid);
	return proc_read(tid, name, NULL);
}

/* Read the list until it is the same twice: the kernel continues at a position, so if a child ends
 * meanwhile it may leave out the next one. For free(). NULL with errno set. */
static char *read_twice(pid_t tid)
{
	char *list = read_list(tid);

	for (int i = 0; list && i < TRIES; i++) {
		char *again = read_list(tid);
		bool same = again && !strcmp(list, again);

		free(list);
		list = again;
		if (same)
			break;
	}
	return list;
}

static void each_in(const char *list, void (*fn)(void *ctx, pid_t child), void *ctx)
{
	char *end;

	for (long pid; (pid = strtol(list, &end, 10)) > 0 && end != list; list = end)
		fn(ctx, (pid_t)pid);
}

int proc_children_each(pid_t pid, void (*fn)(void *ctx, pid_t child), void *ctx)
{
	struct proc_tasks tasks;
	char *list = read_list(pid);

	if (!list)
		return -errno;
	free(list);
	int err = proc_tasks_open(&tasks, pid);

	for (pid_t tid; !err && (tid = proc_tasks_next(&tasks));) {
		list = read_twice(tid);
		if (list)
			each_in(list, fn, ctx);
		free(list);
	}
	proc_tasks_close(&tasks);
	return err;
}
