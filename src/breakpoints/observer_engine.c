/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that cannot be observed as was requested, and changes of an engine's for which all tasks
 * have to be held. */
#include "breakpoints/observer_internal.h"

#include "breakpoints/engine.h"

#include <errno.h>
#include <stdlib.h>

void observer_forget(struct address_space *space)
{
	struct observed *of = observed_in(space);

	space->user = NULL;
	if (!of)
		return;
	watch_free(of->watch);
	free(of);
}

bool observer_refuse(struct trap_observer *o, struct task *task, void *image, enum unobserved why,
		     const char *why_not)
{
	observer_forget(task->space);
	o->sink->unobserved(o->ctx, task->tgid, image, why, why_not);
	return false;
}

bool observer_refuse_engine(struct trap_observer *o, struct task *task, void *image)
{
	struct watch *w = observed_of(task)->watch;
	int err = watch_refused(w);
	struct error e;

	error_set(&e, err, "the %s engine cannot be used: %s; use --engine=trap",
		  o->shared.engine->name, watch_refusal(w));
	watch_clean(w);
	/* It is not the engine's fault, and another one would not help. */
	if (err == -ESRCH)
		return observer_refuse(o, task, image, UNOBSERVED_GONE, ENGINE_GONE);
	return observer_refuse(o, task, image, UNOBSERVED_NO_MEANS, e.text);
}

struct task *observer_next_to_arm(struct trap_observer *o)
{
	struct task *task;

	for (size_t at = 0; (task = tracer_next_task(o->tracer, &at));)
		if (observed_of(task) && watch_is_to_arm(observed_of(task)->watch))
			return task;
	return NULL;
}

void observer_arm_found(struct trap_observer *o)
{
	struct task *task;

	while ((task = observer_next_to_arm(o))) {
		const struct observed *of = observed_of(task);

		watch_arm_held(of->watch);
		if (watch_refusal(of->watch) && watch_fall_back(of->watch))
			observer_refuse_engine(o, task, of->image);
	}
}
