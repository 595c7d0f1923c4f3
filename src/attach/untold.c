/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/untold.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

bool may_leave_untold(const struct task *dead)
{
	bool last = dead->tid == dead->tgid || dead->space->tasks == 1;

	return last && (WIFSIGNALED(dead->wstatus) || dead->space->threaded);
}

bool task_stopped_for_birth(const struct task *task)
{
	int event = task->wstatus >> 16;

	return WIFSTOPPED(task->wstatus) &&
	       (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		event == PTRACE_EVENT_CLONE);
}

bool stops_for_birth(const struct task *task)
{
	return task->state == TASK_QUEUED && task_stopped_for_birth(task);
}

bool may_tell_of(const struct told_of *told, pid_t child)
{
	return !told->answered || told->child == child;
}
