/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session.h"

#include "cli/cli.h"
#include "cli/heap.h"
#include "cli/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t wall_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t session_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- images ---- */

static void image_free(struct image *i)
{
	if (!i)
		return;
	for (char **a = i->command; a && *a; a++)
		free(*a);
	free(i->command);
	free(i->data);
	recorders_free(i->recorders);
	profile_free(i->profile);
	watch_free(i->watch);
	free(i);
}

/* Earlier images of a process are over when another one begins. */
static unsigned supersede(struct session *s, pid_t pid)
{
	unsigned n = 0;

	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid)
			continue;
		if (!i->over) {
			i->over = true;
			s->save(s, i); /* what came before is written first */
			s->ended(s, i);
		}
		n++;
	}
	return n;
}

/* Forget the image that began last. */
static void image_drop(struct session *s, struct image *i)
{
	struct image **at = &s->images;

	while (*at != i)
		at = &(*at)->next;
	*at = i->next;
	s->last = at;
	image_free(i);
}

static struct image *image_begin(struct session *s, pid_t pid, struct profile *profile)
{
	struct image *i = calloc(1, sizeof *i);

	if (!i || !profile) {
		free(i);
		profile_free(profile);
		return NULL;
	}
	i->session = s;
	i->pid = pid;
	i->number = supersede(s, pid);
	i->profile = profile;
	profile_stamp(profile, session_now_ns());
	i->started_ns = wall_clock_ns();
	i->program = NO_FILE;
	i->command = program_arguments(pid);
	*s->last = i;
	s->last = &i->next;
	return i;
}

/* ---- what the breakpoints tell ---- */

static int count(struct image *i, const struct alloc_event *e)
{
	struct block_change change;
	int err = profile_event(i->profile, e, &change);
	if (!err)
		recorders_event(i->recorders, e, &change);
	return err;
}

/* What is not counted does not happen, but for one thing: a realloc that has begun and whose end is
 * not counted leaves its block where it was. */
static int ignore(struct image *i, const struct alloc_event *e)
{
	struct alloc_event back = {
		.kind = AE_REALLOC_BACK, .call = CALL_REALLOC, .task = e->task, .time_ns = e->time_ns, .old_ptr = e->old_ptr,
	};

	if (e->kind != AE_REALLOC_MOVED && e->kind != AE_REALLOC_FREED && e->kind != AE_REALLOC_BACK)
		return 0;
	return count(i, &back);
}

static int sink_event(void *ctx, const struct alloc_event *e)
{
	struct image *i = ctx;
	uint64_t every = i->session->autosave, before = i->profile->totals.allocs;

	if (i->stopped || i->paused)
		return ignore(i, e);
	int err = count(i, e);
	if (every && i->profile->totals.allocs != before && i->profile->totals.allocs % every == 0)
		i->session->save(i->session, i);
	return err;
}

char *session_string(const struct space *s, taddr at)
{
	char text[4096];
	ssize_t n = at ? space_read(s, at, text, sizeof text - 1) : 0;

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	return text[0] ? strdup(text) : NULL;
}

static bool sink_knows(void *ctx, taddr ptr)
{
	const struct image *i = ctx;

	return live_knows(&i->profile->live, ptr);
}

static void mark_image(struct image *i, enum recorder_mark mark, pid_t task, uint64_t now)
{
	profile_stamp(i->profile, now);
	recorders_mark(i->recorders, mark, task, now);
}

/* mprof_stop() and mprof_restart() */
static void mark_profile(struct image *i, struct task *task, bool stop, taddr arg)
{
	bool was_stopped = i->stopped;
	uint64_t now = session_now_ns();

	if (!i->stopped)
		i->session->save(i->session, i);
	i->stopped = stop;
	mark_image(i, stop ? RECORD_SUSPENDED : RECORD_RESTARTED, task->tid, now);
	if (stop != was_stopped)
		i->session->progress(i->session, stop ? "suspended" : "resumed");
	if (stop)
		return;
	char *name = session_string(task->space, arg);
	/* What another user's program says must not choose a file for us to write, perhaps as root. */
	if (name && i->session->foreign) {
		say("process %d names the file %s for its profile: ignored, for it is another user's",
		    (int)i->pid, name);
		free(name);
		name = NULL;
	}
	if (name) {
		free(i->data);
		i->data = name;
	}
	profile_restart(i->profile);
	profile_stamp(i->profile, now);
}

/* mprof_suspend(): the traps are taken out when no stop is being served. */
static void pause_image(struct image *i, struct task *task)
{
	if (i->paused)
		return;
	i->paused = true;
	mark_image(i, RECORD_SUSPENDED, task->tid, session_now_ns());
	i->session->progress(i->session, "suspended");
	i->session->wake(i->session);
}

/* mprof_resume(): at once, for the program may allocate when it returns. No thread is in a slot, since
 * there are no traps to lead there, so they may run while the traps come back. */
static void unpause_image(struct image *i, pid_t tid)
{
	if (!i->paused)
		return;
	if (i->lifted && !i->session->suspended)
		watch_resume(i->watch, tid);
	i->paused = i->lifted = false;
	mark_image(i, RECORD_RESUMED, tid, session_now_ns());
	i->session->progress(i->session, "resumed");
}

static void sink_mark(void *ctx, struct task *task, enum probe_kind mark, uint64_t arg)
{
	struct image *i = ctx;

	switch (mark) {
	case MARK_AUTOSAVE:
		i->session->autosave = (int)arg > 0 ? (uint64_t)arg & INT_MAX : 0;
		return;
	case MARK_STOP:
	case MARK_RESTART:
		mark_profile(i, task, mark == MARK_STOP, arg);
		return;
	case MARK_SUSPEND:
		pause_image(i, task);
		return;
	case MARK_RESUME:
		unpause_image(i, task->tid);
		return;
	case MARK_STAMP:
		mark_image(i, RECORD_STAMP, task->tid, session_now_ns());
		return;
	default:
		return;
	}
}

static uint32_t sink_frame(void *ctx, uint32_t file, uint64_t address, bool exact, bool guessed)
{
	struct image *i = ctx;
	struct profile_place place = { address, file == NO_FILE ? PD_NONE : file, exact, guessed };

	return profile_frame(i->profile, &place);
}

static bool sink_ask(void *ctx, struct task *task, enum probe_kind what, const uint64_t arg[2],
		     uint64_t *result)
{
	struct image *i = ctx;

	return heap_ask(i, task, what, arg, result);
}

static void sink_modules(void *ctx, const struct mappings *maps)
{
	struct image *i = ctx;

	heap_modules(i, maps);
}

static struct watch_sink sink_for(struct image *i)
{
	return (struct watch_sink){ .event = sink_event, .knows = sink_knows, .frame = sink_frame, .mark = sink_mark,
				    .ask = sink_ask, .modules = sink_modules, .ctx = i };
}

/* ---- what the tracer tells ---- */

static struct image *image_of(const struct task *task)
{
	return task->space ? task->space->user : NULL;
}

/* The program cannot be profiled. If it is the one we were asked for, it does not run at all. */
static bool refuse(struct session *s, struct task *task, struct image *i, const char *why)
{
	task->space->user = NULL;
	if (i)
		image_drop(s, i);
	if (task->tgid == s->root && !s->images) {
		s->refused = why;
		if (s->launched)
			kill(task->tgid, SIGKILL);
	} else {
		say("process %d goes on unobserved: %s", (int)task->tgid, why);
	}
	return false;
}

static bool on_image(void *ctx, struct task *task)
{
	struct session *s = ctx;
	int err = 0;

	if (task->tgid != s->root && !s->trace_children)
		return false;
	const char *why = program_unsupported(task->tid);
	if (why)
		return refuse(s, task, NULL, why);
	struct image *i = image_begin(s, task->tgid, profile_new());
	if (i && !s->record(s, i)) {
		struct watch_sink sink = sink_for(i);

		i->watch = watch_new(&s->shared, task->space, task->tid, &sink, &err);
	}
	if (!i || !i->watch)
		return refuse(s, task, i, err == -ESRCH ? "it is gone" : "out of memory");
	i->program = watch_program(i->watch);
	task->space->user = i;
	if (s->suspended)
		watch_suspend(i->watch);
	if (watch_can_see(i->watch))
		return true;
	watch_clean(i->watch, task->space);
	return refuse(
		s, task, i,
		"no allocator found: looked for malloc, calloc, realloc, free and their kin in its "
		"symbol tables (.dynsym, .symtab); the program is static and stripped");
}

static bool on_forked(void *ctx, struct task *child, struct space *parent)
{
	struct session *s = ctx;
	struct image *from = parent->user, *i = NULL;
	int err;

	if (!from || !from->watch)
		return false;
	if (s->trace_children)
		i = image_begin(s, child->tgid, profile_fork(from->profile));
	if (i && !recorders_fork(&i->recorders, from->recorders, i->profile, i->pid)) {
		struct watch_sink sink = sink_for(i);

		i->program = from->program;
		i->paused = from->paused;
		i->lifted = from->lifted;
		i->watch = watch_fork(from->watch, parent, child->space, &sink, &err);
		child->space->user = i;
	}
	if (i && i->watch)
		return true;
	if (s->trace_children)
		say("process %d goes on unobserved: out of memory", (int)child->tgid);
	watch_clean(from->watch, child->space);
	child->space->user = NULL;
	return false;
}

static void on_thread(void *ctx, struct task *task)
{
	struct image *i = image_of(task);

	(void)ctx;
	if (i && i->watch)
		recorders_thread(i->recorders, task->tid, true);
}

static void on_syscall(void *ctx, struct task *task, const struct syscall_call *c)
{
	const struct session *s = ctx;
	struct image *i = image_of(task);
	struct alloc_chain chain = { 0 };
	struct page_event e;

	if (!i || !i->watch || i->stopped || s->suspended)
		return;
	heap_log_call(i, c);
	if (!page_event_of(c, &e))
		return;
	e.time_ns = session_now_ns();
	if (e.text)
		watch_remapped(i->watch, task->tid);
	if (watch_chain(i->watch, task, &chain))
		chain = (struct alloc_chain){ .truncated = CHAIN_UNREADABLE };
	uint32_t node = profile_chain_node(i->profile, &chain);
	recorders_pages(i->recorders, &e, node == IDINDEX_NONE ? PD_ROOT_TRUNCATED : node);
}

static enum trap_answer on_trap(void *ctx, struct task *task, bool certain)
{
	struct image *i = image_of(task);

	(void)ctx;
	return i && i->watch ? watch_trap(i->watch, task, certain) : TRAP_NOT_OURS;
}

static void on_alone(void *ctx, struct task *task, bool out, bool stepped)
{
	struct image *i = image_of(task);

	(void)ctx;
	if (i && i->watch)
		watch_alone(i->watch, task, out, stepped);
}

static bool on_settle(void *ctx, struct task *task, bool trapped)
{
	struct image *i = image_of(task);

	(void)ctx;
	return i && i->watch && watch_settle(i->watch, task, trapped);
}

static void on_task_gone(void *ctx, struct task *task)
{
	struct image *i = image_of(task);

	(void)ctx;
	if (!i || !i->watch)
		return;
	watch_task_gone(i->watch, task);
	/* The end of the last one is the end of all. */
	if (task->tid != task->tgid)
		recorders_thread(i->recorders, task->tid, false);
}

static void on_space_gone(void *ctx, struct space *space)
{
	struct image *i = space->user;

	(void)ctx;
	if (!i || !i->watch)
		return;
	i->ended_ns = wall_clock_ns();
	profile_stamp(i->profile, i->session->end_ns ? i->session->end_ns : session_now_ns());
	recorders_end(i->recorders);
	i->counts = watch_counts(i->watch);
	watch_free(i->watch);
	i->watch = NULL;
}

static void on_clean(void *ctx, struct space *space)
{
	struct image *i = space->user;

	(void)ctx;
	if (!i || !i->watch)
		return;
	heap_leaving(i);
	watch_clean(i->watch, space);
}

static void on_ended(void *ctx, pid_t pid, int wstatus)
{
	struct session *s = ctx;

	for (struct image *i = s->images; i; i = i->next)
		if (i->pid == pid && !i->over)
			s->ended(s, i);
	if (pid != s->root)
		return;
	s->root_status = wstatus;
	s->root_ended = true;
}

static void on_exiting(void *ctx, struct task *task)
{
	struct image *i = image_of(task);

	(void)ctx;
	if (i && i->watch)
		heap_leaving(i);
}

static bool on_signal(void *ctx, struct task *task, int sig)
{
	struct image *i = image_of(task);

	(void)ctx;
	return i && i->watch && heap_signal(i, task->tid, sig);
}

static void on_reaped(void *ctx, pid_t pid)
{
	struct session *s = ctx;

	for (size_t i = 0; i < s->n_savers; i++)
		if (s->savers[i] == pid)
			s->savers[i] = s->savers[--s->n_savers];
}

static const struct tracer_ops ops = {
	.image = on_image,
	.forked = on_forked,
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
};

static void no_save(struct session *s, struct image *i)
{
	(void)s, (void)i;
}

static void no_wake(struct session *s)
{
	(void)s;
}

static void no_progress(struct session *s, const char *what)
{
	(void)s, (void)what;
}

static int no_recorders(struct session *s, struct image *i)
{
	(void)s, (void)i;
	return 0;
}

int session_init(struct session *s, bool trace_children, struct guard *guard)
{
	*s = (struct session){ .trace_children = trace_children,
			       .save = no_save,
			       .ended = no_save,
			       .wake = no_wake,
			       .progress = no_progress,
			       .record = no_recorders };
	s->shared.guard = guard;
	s->last = &s->images;
	s->tracer = tracer_new(&ops, s, guard);
	return s->tracer ? 0 : -ENOMEM;
}

void session_release(struct session *s)
{
	tracer_free(s->tracer);
	for (struct image *i = s->images, *next; i; i = next) {
		next = i->next;
		image_free(i);
	}
	heap_texts_free(s);
	free(s->savers);
	watch_shared_release(&s->shared);
}

/* ---- suspend and resume ---- */

static void mark_images(struct session *s, enum recorder_mark mark)
{
	uint64_t now = session_now_ns();

	for (struct image *i = s->images; i; i = i->next)
		if (i->watch)
			mark_image(i, mark, 0, now);
}

/* With all tasks stopped: the calls they are in will not be seen to return. @i NULL: of all images. */
static void forget_calls(struct session *s, const struct image *i)
{
	struct task *task;

	for (size_t n = 0; (task = tracer_next_task(s->tracer, &n));) {
		struct image *of = image_of(task);

		if (of && of->watch && (!i || of == i))
			watch_forget_calls(of->watch, task);
	}
}

void session_suspend(struct session *s)
{
	if (s->suspended)
		return;
	s->suspended = true;
	tracer_quiesce(s->tracer);
	forget_calls(s, NULL);
	for (struct image *i = s->images; i; i = i->next)
		if (i->watch)
			watch_suspend(i->watch);
	mark_images(s, RECORD_SUSPENDED);
	tracer_continue(s->tracer);
	s->progress(s, "suspended");
}

void session_attend(struct session *s)
{
	bool any = false;

	for (struct image *i = s->images; i; i = i->next)
		any |= i->watch && i->paused && !i->lifted;
	if (!any || s->suspended)
		return;
	tracer_quiesce(s->tracer);
	for (struct image *i = s->images; i; i = i->next) {
		/* It may have gone on meanwhile. */
		if (!i->watch || !i->paused || i->lifted)
			continue;
		forget_calls(s, i);
		watch_suspend(i->watch);
		i->lifted = true;
	}
	tracer_continue(s->tracer);
}

void session_stamp(struct session *s)
{
	mark_images(s, RECORD_STAMP);
}

void session_end(struct session *s)
{
	s->end_ns = session_now_ns();
}

static struct task *task_of(struct session *s, const struct image *i)
{
	struct task *task;

	for (size_t n = 0; (task = tracer_next_task(s->tracer, &n));)
		if (image_of(task) == i)
			return task;
	return NULL;
}

void session_resume(struct session *s)
{
	if (!s->suspended)
		return;
	s->suspended = false;
	tracer_quiesce(s->tracer);
	for (struct image *i = s->images; i; i = i->next) {
		struct task *task = i->watch ? task_of(s, i) : NULL;

		if (task)
			watch_resume(i->watch, task->tid);
		i->paused = i->lifted = false;
	}
	mark_images(s, RECORD_RESUMED);
	tracer_continue(s->tracer);
	s->progress(s, "resumed");
}

struct session_state session_state(struct session *s)
{
	struct session_state st = { .modules = (unsigned)s->shared.files.n };
	struct task *task;

	for (size_t n = 0; (task = tracer_next_task(s->tracer, &n));)
		st.tasks++;
	for (const struct image *i = s->images; i; i = i->next) {
		st.processes += i->watch != NULL;
		st.allocs += i->profile->totals.allocs;
		st.frees += i->profile->totals.frees + i->profile->totals.unknown_frees;
		st.live_bytes += i->watch ? i->profile->live_bytes : 0;
		st.lost += i->watch ? watch_counts(i->watch).lost : i->counts.lost;
	}
	return st;
}
