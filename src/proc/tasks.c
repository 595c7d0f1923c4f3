/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/tasks.h"

#include "proc/file.h"
#include "proc/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

int proc_tasks_open(struct proc_tasks *t, pid_t pid)
{
	char path[PROC_PATH];

	t->dir = opendir(proc_path(path, pid, "task"));
	return t->dir ? 0 : -errno;
}

int proc_processes_open(struct proc_tasks *t)
{
	t->dir = opendir("/proc");
	return t->dir ? 0 : -errno;
}

pid_t proc_tasks_next(struct proc_tasks *t)
{
	struct dirent *e;

	while (t->dir && (e = readdir(t->dir))) {
		pid_t tid = (pid_t)atoi(e->d_name);

		if (tid > 0)
			return tid;
	}
	return 0;
}

void proc_tasks_close(struct proc_tasks *t)
{
	if (t->dir)
		closedir(t->dir);
	t->dir = NULL;
}

pid_t proc_tasks_living(pid_t pid)
{
	struct proc_tasks tasks;
	pid_t living = 0;

	proc_tasks_open(&tasks, pid);
	for (pid_t tid; !living && (tid = proc_tasks_next(&tasks));) {
		struct proc_status s = proc_status(tid);

		living = proc_status_lives(&s) ? tid : 0;
	}
	proc_tasks_close(&tasks);
	return living;
}
