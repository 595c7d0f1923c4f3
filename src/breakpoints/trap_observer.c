/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/trap_observer.h"

#include "attach/permission.h"
#include "attach/supported.h"
#include "base/clock.h"
#include "breakpoints/observer_internal.h"
#include "probes/no_allocator.h"
#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Report what the program has done until now before its stop is served. */
static void catch_up(const struct observed *of)
{
	if (of && of->watch)
		watch_catch_up(of->watch, true);
}

/* ---- what the tracer calls ---- */

/* The result is good until the next call. */
static const char *sentence(const struct advice *a)
{
	static struct error e;

	advice_sentence(a, &e);
	return e.text;
}

static const char *program_without_allocator(const struct module_files *files, pid_t tid)
{
	int fd = proc_open(tid, "exe", O_RDONLY);
	const struct ownheap heap = ownheap_of(fd);
	struct advice a;

	no_allocator_why(&heap, files, &a);
	if (fd >= 0)
		close(fd);
	return sentence(&a);
}

/* The next task of an image that has not ended, in a walk over all of them; NULL: there is no
 * more. */
static struct task *next_task(struct trap_observer *o, const struct observed *of, size_t *at)
{
	struct task *task;

	do
		task = tracer_next_task(o->tracer, at);
	while (task && (task->over || observed_of(task) != of));
	return task;
}

static bool on_image(void *ctx, struct task *task)
{
	struct trap_observer *o = ctx;
	struct advice a;
	int err = -ENOMEM;

	if (!o->sink->wanted(o->ctx, task->tgid))
		return false;
	if (program_unsupported(task->tid, &a))
		return observer_refuse(o, task, NULL, UNOBSERVED_UNSUPPORTED, sentence(&a));
	if (o->shared.engine)
		tracer_look_often(o->tracer);
	const bool executed = task_is_at_exec(task) && o->observes;
	/* An engine has the task make system calls before it runs anything. */
	if (o->shared.engine && tracer_leave_exec(o->tracer, task))
		return true;
	void *image = o->sink->begins(o->ctx, task->tgid);
	struct observed *of = image ? calloc(1, sizeof *of) : NULL;
	if (of)
		of->watch = watch_new(&o->shared, task, o->sink, image, &err);
	task->space->user = of;
	if (!of || !of->watch)
		return err == -ESRCH || err == -ENOENT ?
			       observer_refuse(o, task, image, UNOBSERVED_GONE,
					       "it has ended meanwhile") :
			       observer_refuse(o, task, image, UNOBSERVED_NO_MEMORY,
					       err == -ENOMEM ? "out of memory" :
								"too many open files");
	of->image = image;
	if (executed)
		watch_is_executed(of->watch);
	if (watch_is_to_arm(of->watch))
		watch_arm_held(of->watch);
	const bool refused = watch_refusal(of->watch) && watch_fall_back(of->watch);
	if (!refused && watch_can_see(of->watch)) {
		o->observes = true;
		o->sink->observed(image, of);
		return true;
	}
	if (refused)
		return observer_refuse_engine(o, task, image);
	watch_clean(of->watch);
	return observer_refuse(o, task, image, UNOBSERVED_NO_ALLOCATOR,
		      program_without_allocator(&o->shared.files, task->tid));
}

static bool on_forked(void *ctx, struct task *child, const struct task *parent,
		      struct address_space *space)
{
	struct trap_observer *o = ctx;
	const struct observed *from = observed_in(space);
	int err = -ENOMEM;

	if (!from)
		return false;
	/* The child begins with what its parent has done so far. */
	catch_up(from);
	void *image = o->sink->forked(o->ctx, from->image, child->tgid);
	struct observed *of = image ? calloc(1, sizeof *of) : NULL;
	if (of)
		of->watch = watch_fork(from->watch, space, child->space, o->sink, image, &err);
	child->space->user = of;
	if (of && of->watch && !watch_fork_engine(of->watch, from->watch, child)) {
		of->image = image;
		watch_thread_forked(child, parent);
		o->sink->observed(image, of);
		return true;
	}
	watch_clean_copy(from->watch, child);
	observer_forget(child->space);
	if (image)
		o->sink->unobserved(o->ctx, child->tgid, image, UNOBSERVED_NO_MEMORY, "out of "
										      "memory");
	return false;
}

static void on_unfollowed(void *ctx, struct task *task, const struct address_space *space, int err)
{
	const struct trap_observer *o = ctx;
	const struct observed *from = observed_in(space);
	struct error why;

	if (from)
		watch_clean_copy(from->watch, task);
	/* Say nothing of a child that was not to be followed anyway. */
	if (space && !o->sink->wanted(o->ctx, task->tgid))
		return;
	if (err == -EACCES || err == -EPERM) {
		struct permission_facts f = permission_look(task->tgid);
		struct advice a;

		permission_why(&f, &a);
		o->sink->unobserved(o->ctx, task->tgid, NULL, UNOBSERVED_NO_MEANS, sentence(&a));
		return;
	}
	error_set(&why, err, "%s%s", strerror(-err),
		  err == -EMFILE ? "; raise the hard limit of open files (ulimit -Hn)" : "");
	o->sink->unobserved(o->ctx, task->tgid, NULL, UNOBSERVED_NO_MEANS, why.text);
}

static void on_thread(void *ctx, struct task *task)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_of(task);

	if (!of)
		return;
	watch_thread_begins(of->watch, task);
	o->sink->thread(of->image, task->tid, true);
}

static void on_syscall(void *ctx, struct task *task, const struct syscall_call *c)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_of(task);
	struct alloc_chain chain = { 0 };
	struct page_event e;

	catch_up(of);
	if (!of || !o->sink->call(of->image, c) || !page_event_of(c, &e))
		return;
	e.time_ns = clock_now_ns();
	if (e.text)
		watch_remapped(of->watch, task->tid);
	if (watch_chain(of->watch, task, &chain))
		chain = (struct alloc_chain){ .truncated = CHAIN_UNREADABLE };
	o->sink->pages(of->image, &e, &chain);
}

static enum trap_answer on_trap(void *ctx, struct task *task, bool certain)
{
	struct trap_observer *o = ctx;
	struct observed *of = observed_of(task);

	if (!of)
		return TRAP_NOT_OURS;
	catch_up(of);
	enum trap_answer a = watch_trap(of->watch, task, certain);
	if (watch_refusal(of->watch) && watch_fall_back(of->watch))
		observer_refuse_engine(o, task, of->image);
	return a;
}

static void on_alone(void *ctx, struct task *task, bool out, bool stepped)
{
	struct observed *of = observed_of(task);

	(void)ctx;
	if (of)
		watch_alone(of->watch, task, out, stepped);
}

static bool on_settle(void *ctx, struct task *task, bool trapped)
{
	struct observed *of = observed_of(task);

	(void)ctx;
	return of && watch_settle(of->watch, task, trapped);
}

static void on_task_gone(void *ctx, struct task *task)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_of(task);

	if (!of)
		return;
	catch_up(of);
	watch_task_gone(of->watch, task);
	/* The end of the last thread is the end of the process, which is reported by itself. */
	if (task->tid != task->tgid)
		o->sink->thread(of->image, task->tid, false);
}

static void on_space_gone(void *ctx, struct address_space *space)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_in(space);

	if (!of)
		return;
	watch_catch_up(of->watch, true);
	struct observed_counts counts = watch_counts(of->watch);

	o->sink->gone(of->image, &counts);
	observer_forget(space);
}

static bool on_clean(void *ctx, struct address_space *space)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_in(space);

	if (!of)
		return true;
	catch_up(of);
	if (!of->left) {
		watch_say_undone(of->watch);
		o->sink->leaving(of->image);
	}
	of->left = true;
	return watch_clean(of->watch) != -EAGAIN;
}

static uint64_t drain_all(struct trap_observer *o, bool whole)
{
	const struct address_space *last = NULL;
	uint64_t events = 0;
	struct task *task;

	for (size_t at = 0; (task = tracer_next_task(o->tracer, &at));) {
		if (task->space == last || !observed_of(task))
			continue;
		last = task->space;
		events += watch_catch_up(observed_of(task)->watch, whole);
	}
	return events;
}

static uint64_t on_idle(void *ctx)
{
	struct trap_observer *o = ctx;
	uint64_t events = drain_all(o, false);

	if (!observer_next_to_arm(o))
		return events;
	tracer_stop_all(o->tracer);
	observer_arm_found(o);
	tracer_continue(o->tracer);
	return events + 1;
}

static void on_ended(void *ctx, pid_t pid, int wstatus)
{
	const struct trap_observer *o = ctx;

	o->sink->ended(o->ctx, pid, wstatus);
}

static void on_exiting(void *ctx, struct task *task)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_of(task);

	catch_up(of);
	if (!of)
		return;
	watch_say_undone(of->watch);
	o->sink->leaving(of->image);
}

static bool on_signal(void *ctx, struct task *task, int sig)
{
	const struct trap_observer *o = ctx;
	struct observed *of = observed_of(task);

	if (of && watch_fault(of->watch, task))
		return true;
	catch_up(of);
	return of && o->sink->signal(of->image, task->tid, sig);
}

static void on_reaped(void *ctx, pid_t pid, int wstatus)
{
	const struct trap_observer *o = ctx;

	o->sink->reaped(o->ctx, pid, wstatus);
}

static const struct tracer_ops tracer_ops = {
	.image = on_image,
	.forked = on_forked,
	.unfollowed = on_unfollowed,
	.thread = on_thread,
	.syscall = on_syscall,
	.trap = on_trap,
	.alone = on_alone,
	.settle = on_settle,
	.task_gone = on_task_gone,
	.space_gone = on_space_gone,
	.clean = on_clean,
	.ended = on_ended,
	.exiting = on_exiting,
	.signal = on_signal,
	.reaped = on_reaped,
	.idle = on_idle,
};

/* ---- what the session calls ---- */

struct trap_observer *trap_observer_of(struct observer *base)
{
	return (struct trap_observer *)base;
}

static void hold(struct observer *base)
{
	tracer_stop_all(trap_observer_of(base)->tracer);
	drain_all(trap_observer_of(base), true);
	observer_arm_found(trap_observer_of(base));
}

static void let_run(struct observer *base)
{
	tracer_continue(trap_observer_of(base)->tracer);
}

static void hear(struct observer *base)
{
	drain_all(trap_observer_of(base), false);
}

static void suspend(struct observer *base, struct observed *of)
{
	struct task *task;

	for (size_t at = 0; (task = next_task(trap_observer_of(base), of, &at));)
		watch_forget_calls(of->watch, task);
	watch_suspend(of->watch);
}

static void resume(struct observer *base, struct observed *of)
{
	size_t at = 0;
	const struct task *task = next_task(trap_observer_of(base), of, &at);

	if (task)
		watch_resume(of->watch, task->tid);
}

static struct observed_counts counts(const struct observed *of)
{
	return watch_counts(of->watch);
}

static const struct mappings *mappings(const struct observed *of)
{
	return watch_mappings(of->watch);
}

static uint32_t program(const struct observed *of)
{
	return watch_program(of->watch);
}

static bool has_memory(const struct observed *of)
{
	return watch_has_memory(of->watch);
}

static int run(struct observer *base, const volatile sig_atomic_t *stop)
{
	return tracer_run(trap_observer_of(base)->tracer, stop);
}

static void let_go(struct observer *base)
{
	tracer_detach_all(trap_observer_of(base)->tracer);
}

static unsigned tasks(struct observer *base)
{
	unsigned n = 0;

	for (size_t at = 0; tracer_next_task(trap_observer_of(base)->tracer, &at);)
		n++;
	return n;
}

static struct observer_effort effort(const struct observer *base)
{
	const struct tracer *t = ((const struct trap_observer *)base)->tracer;
	struct follow_counts f = tracer_follow_counts(t);

	return (struct observer_effort){ tracer_stops(t), f.begun, f.given_up,
					 tracer_stopped_ns(t), tracer_taken_ns(t),
					 tracer_attach_ns(t) };
}

static const struct observer_ops ops = {
	.hold = hold,
	.let_run = let_run,
	.hear = hear,
	.suspend = suspend,
	.resume = resume,
	.counts = counts,
	.mappings = mappings,
	.program = program,
	.has_memory = has_memory,
	.read = address_space_read,
	.write = address_space_write,
	.run = run, .let_go = let_go, .tasks = tasks,
	.effort = effort,
};

/* ---- life ---- */

struct trap_observer *trap_observer_new(const struct observer_sink *sink, void *ctx,
					struct rules *rules, struct journal *journal)
{
	struct trap_observer *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->base = (struct observer){ &ops, &o->shared.files };
	o->sink = sink;
	o->ctx = ctx;
	o->shared.journal = journal;
	watch_shared_rules(&o->shared, rules);
	o->tracer = o->shared.tracer = tracer_new(&tracer_ops, o, journal);
	if (o->tracer)
		return o;
	trap_observer_free(o);
	return NULL;
}

void trap_observer_free(struct trap_observer *o)
{
	if (!o)
		return;
	tracer_free(o->tracer);
	watch_shared_release(&o->shared);
	free(o);
}

struct observer *trap_observer_base(struct trap_observer *o)
{
	return &o->base;
}

struct tracer *trap_observer_tracer(struct trap_observer *o)
{
	return o->tracer;
}

struct watch_shared *trap_observer_shared(struct trap_observer *o)
{
	return &o->shared;
}
