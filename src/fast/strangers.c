/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that the agent does not know: a program's first thread begins without a thread pointer,
 * and sets it later without a stop. */
#include "fast/engine_internal.h"

/* The only task whose thread pointer it can be; NULL: there are several. */
static struct engine_task *only_task(struct engine *e)
{
	return e->n_tasks == 1 && e->space->tasks == 1 ? &e->tasks[0] : NULL;
}

static void moves(struct engine *e, struct engine_task *t, uint64_t thread_pointer)
{
	t->number = t->number == AGENT_NO_THREAD ?
			    threads_begin(e->threads, thread_pointer, t->task->tid) :
			    threads_moved(e->threads, t->number, thread_pointer,
					  ring_head(e->ring));
	beside_tell(e, t->number);
}

void strangers_answer(struct engine *e)
{
	uint64_t *asked = &engine_agent(e)->nameless;
	uint64_t key = __atomic_load_n(asked, __ATOMIC_ACQUIRE), thread_pointer = key - 1;

	if (!key)
		return;
	struct engine_task *t = only_task(e);
	if (threads_find(e->threads, thread_pointer) == AGENT_NO_THREAD) {
		if (t)
			moves(e, t, thread_pointer);
		else
			threads_stranger(e->threads, thread_pointer);
	}
	/* If another thread asks by now it is answered the next time. */
	__atomic_compare_exchange_n(asked, &key, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void strangers_look(struct engine *e)
{
	for (size_t i = 0; i < e->n_tasks; i++)
		if (!e->tasks[i].settled)
			tasks_look_at_thread_pointer(e, &e->tasks[i]);
}
