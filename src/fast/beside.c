/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are trapped while others have pads: what the agent knows about the trapped calls,
 * and the tracer about calls through pads. */
#include "fast/engine_internal.h"

static struct agent_thread *record_of(const struct engine *e, uint32_t number)
{
	return number < AGENT_THREADS ? &engine_agent(e)->threads[number] : NULL;
}

bool beside_inside(const struct engine *e, const struct task *task)
{
	const struct engine_task *t = tasks_entry(e, task);
	const struct agent_thread *r = t ? record_of(e, t->number) : NULL;

	/* The calls of a stranger are not counted, so it may be in one. */
	return !r || __atomic_load_n(&r->depth, __ATOMIC_RELAXED);
}

/* Tasks with the same thread pointer share a record: if one of them is in no trapped call others
 * still may be. */
void beside_tell(struct engine *e, uint32_t number)
{
	struct agent_thread *r = record_of(e, number);
	taddr at = 0, ret = 0;

	for (size_t i = 0; i < e->n_tasks; i++)
		if (e->tasks[i].number == number && e->tasks[i].outer_at) {
			at = e->tasks[i].outer_at;
			ret = e->tasks[i].outer_ret;
		}
	if (!r)
		return;
	__atomic_store_n(&r->outer_ret, ret, __ATOMIC_RELAXED);
	__atomic_store_n(&r->outer_at, at, __ATOMIC_RELEASE);
}

void beside_pending(struct engine *e, const struct task *task, taddr ret_at, taddr ret)
{
	struct engine_task *t = tasks_entry(e, task);

	if (!t || (t->outer_at == ret_at && t->outer_ret == ret))
		return;
	/* The agent has to find the record that tells it about the call. */
	if (ret_at)
		tasks_look_at_thread_pointer(e, t);
	t->outer_at = ret_at;
	t->outer_ret = ret;
	beside_tell(e, t->number);
}

void beside_ended(struct engine *e, uint32_t number)
{
	for (size_t i = 0; i < e->n_tasks; i++)
		if (e->tasks[i].number == number)
			threads_is(e->threads, number, e->tasks[i].task->tid);
	beside_tell(e, number);
}
