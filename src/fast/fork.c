/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forked copies of the program. They have the code, the pads and the agent, but not the memory
 * shared with us, and the flag is off. A copy that is followed gets shared memory of its own, at
 * the same address, so that nothing else has to be changed there.
 */
#include "fast/engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- not observing it ---- */

static void clean_copy(const struct engine *e, struct task *child, bool outside_agent)
{
	pads_lift(e, child->space);
	if (tasks_copy_has_left(e, child)) {
		memory_leave_copy(e, child);
		return;
	}
	pads_leave_copy(e, child->space);
	if (!outside_agent)
		memory_end_agent_in_copy(e, child);
}

void fork_clean_copy(const struct engine *e, struct task *child)
{
	clean_copy(e, child, tasks_copy_is_outside_agent(e, child, NULL));
}

/* ---- observing it ---- */

/* An engine with the parts that are the same in a copy. */
static struct engine *copy_of(const struct engine *parent, struct address_space *space,
			      const struct engine_host *host)
{
	struct engine *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	*e = (struct engine){
		.shared = parent->shared,
		.host = host,
		.space = space,
		.tracer = parent->tracer,
		.syscall_insn = parent->syscall_insn,
		.memory = { .there = parent->memory.there, .size = parent->memory.size },
		.tables = parent->tables,
		.agent = parent->agent,
		.agent_size = parent->agent_size,
		.room_entry = JOURNAL_NONE,
		.n_near = parent->n_near,
		.waits_entry = JOURNAL_NONE,
		.suspended = parent->suspended,
		.armed = parent->armed,
	};
	for (unsigned i = 0; i < e->n_near; i++) {
		e->near[i] = parent->near[i];
		e->near[i].journal_entry = JOURNAL_NONE;
	}
	told_open(e);
	e->tables->users++;
	if (!pads_copy(e, parent))
		return e;
	engine_free(e);
	return NULL;
}

/* Calls that the task had begun through pads end in the copy, too, but their beginning was not
 * reported there. */
static void inherit_calls(struct engine *e, const struct engine *parent, const struct task *child)
{
	const struct engine_task *t = tasks_entry(e, child);
	struct arch_regs r;

	if (!t || t->number >= AGENT_THREADS || arch_get_regs(child->tid, &r))
		return;
	const uint32_t was = threads_find(parent->threads, arch_thread_pointer_of(&r));
	if (was >= AGENT_THREADS)
		return;
	const struct agent_thread *from = &engine_agent(parent)->threads[was];
	struct agent_thread *to = &engine_agent(e)->threads[t->number];

	to->depth = __atomic_load_n(&from->depth, __ATOMIC_RELAXED);
	if (to->depth)
		for (size_t i = 0; i < AGENT_PENDING; i++)
			to->pending[i] = (struct agent_pending){ from->pending[i].sp,
								 AGENT_UNTOLD };
}

static int begin(struct engine *e, const struct engine *parent, struct task *child,
		 struct error *why)
{
	int err = memory_open_copy(e, child, why);

	if (err)
		return err;
	if (!engine_make_readers(e))
		return error_set(why, -ENOMEM, "out of memory");
	if (tell_copy(e, parent))
		return error_set(why, -ENOMEM, "out of memory");
	engine_thread_begins(e, child);
	inherit_calls(e, parent, child);
	err = pads_begin_copy(e, parent->space);
	return err ? error_set(why, err, "its code cannot be changed: %s", strerror(-err)) : 0;
}

/* Why there can be no engine in the copy; NULL: there can. */
static const char *hopeless(const struct engine *parent, bool outside_agent, int *err)
{
	*err = -ECANCELED;
	if (parent->removed || parent->leaving_rounds)
		return "its parent is about to be let go";
	*err = -ENOTSUP;
	if (parent->failed)
		return "the fast engine has failed in its parent";
	if (!outside_agent)
		return "a signal handler has made it in the middle of the fast engine's code";
	return NULL;
}

static int begin_copy(struct engine **out, struct engine *parent, struct task *child,
		      const struct engine_host *host, struct error *why)
{
	struct engine *e = copy_of(parent, child->space, host);
	int err = e ? begin(e, parent, child, why) : error_set(why, -ENOMEM, "out of memory");

	if (err && e)
		engine_free(e);
	*out = err ? NULL : e;
	return err;
}

struct engine *fork_engine(struct engine *parent, struct task *child,
			   const struct engine_host *host, int *err, struct error *why)
{
	const bool outside_agent = tasks_copy_is_outside_agent(parent, child, host);
	const char *reason = hopeless(parent, outside_agent, err);
	struct engine *e = NULL;

	if (reason)
		error_set(why, *err, "%s", reason);
	else
		*err = begin_copy(&e, parent, child, host, why);
	if (!e)
		clean_copy(parent, child, outside_agent);
	return e;
}
