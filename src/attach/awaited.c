/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/awaited.h"

bool is_awaited(const struct task *task, const struct address_space *s, const struct task *except)
{
	return task != except && (!s || task->space == s) && task->state == TASK_RUNNING &&
	       !task->in_vfork && !task->over;
}

enum awaited awaited(const struct tasks *t, const struct address_space *s,
		     const struct task *except)
{
	enum awaited found = AWAITED_NOBODY;
	const struct task *task;

	for (size_t i = 0; (task = tasks_next(t, &i));) {
		if (!is_awaited(task, s, except))
			continue;
		if (task->tid != task->tgid && !task->silent)
			return AWAITED_STOPS;
		found = AWAITED_UNTOLD;
	}
	return found;
}
