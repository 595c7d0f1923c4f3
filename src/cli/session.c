/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session_internal.h"

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/heap.h"
#include "cli/program.h"
#include "massif/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	sieve_release(&i->sieve);
	profile_free(i->profile);
	watch_free(i->watch);
	free(i);
}

/*
 * An image of which nothing more will come waits for the report with no more than that needs: a group may
 * go on for long and have had many processes. What is still to be written of it is not touched.
 */
static void settle(struct session *s, struct image *i)
{
	if (i->watch || !(i->over || i->ended) || (s->massif && !i->massif_written))
		return;
	massif_recorder_drop(&i->recorders);
	profile_finish(i->profile);
}

/* Earlier images of a process are over when another one begins. */
static unsigned supersede(struct session *s, pid_t pid, unsigned *massif_nth)
{
	unsigned n = 0;

	*massif_nth = 1;
	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid)
			continue;
		if (!i->over) {
			i->over = true;
			s->save(s, i); /* what came before is written first */
			s->ended(s, i);
			settle(s, i);
		}
		*massif_nth = i->massif_nth + 1;
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
	i->number = supersede(s, pid, &i->massif_nth);
	i->profile = profile;
	i->sieve = (struct sieve){ .min = s->min_size, .max = s->max_size };
	profile_stamp(profile, clock_now_ns());
	i->started_ns = clock_wall_ns();
	i->program = NO_FILE;
	i->command = program_arguments(pid);
	*s->last = i;
	s->last = &i->next;
	return i;
}

/* ---- what the tracer tells ---- */

struct image *session_image_of(const struct task *task)
{
	return task->space ? task->space->user : NULL;
}

/* The program cannot be profiled. If it is the one we were asked for, it does not run at all. */
static bool refuse(struct session *s, struct task *task, struct image *i, int status, const char *why)
{
	task->space->user = NULL;
	if (i)
		image_drop(s, i);
	if (task->tgid == s->root && !s->images) {
		s->refused = why;
		s->refused_status = status;
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
		return refuse(s, task, NULL, STATUS_UNSUPPORTED, why);
	struct image *i = image_begin(s, task->tgid, profile_new());
	if (i && !s->record(s, i)) {
		struct watch_sink sink = session_sink(i);

		i->watch = watch_new(&s->shared, task->space, task->tid, &sink, &err);
	}
	if (!i || !i->watch)
		return err == -ESRCH || err == -ENOENT ?
			       refuse(s, task, i, STATUS_NOT_THERE, "it has ended meanwhile") :
			       refuse(s, task, i, STATUS_FAILED, "out of memory");
	i->program = watch_program(i->watch);
	task->space->user = i;
	if (s->suspended)
		watch_suspend(i->watch);
	if (watch_can_see(i->watch))
		return true;
	watch_clean(i->watch, task->space);
	return refuse(
		s, task, i, STATUS_NO_ALLOCATOR,
		"no allocator found: looked for malloc, calloc, realloc, free and their kin in its "
		"symbol tables (.dynsym, .symtab); the program is static and stripped. If you know where "
		"they are, tell it: --hook=malloc:0xADDRESS --hook=free:0xADDRESS");
}

static bool on_forked(void *ctx, struct task *child, const struct task *parent,
		      struct space *space)
{
	struct session *s = ctx;
	struct image *from = space->user, *i = NULL;
	int err;

	if (!from || !from->watch)
		return false;
	if (s->trace_children)
		i = image_begin(s, child->tgid, profile_fork(from->profile));
	if (i && !sieve_fork(&i->sieve, &from->sieve) && !recorders_fork(&i->recorders, from->recorders, i->profile, i->pid)) {
		struct watch_sink sink = session_sink(i);

		i->program = from->program;
		i->paused = from->paused;
		i->lifted = from->lifted;
		i->watch = watch_fork(from->watch, space, child->space, &sink, &err);
		child->space->user = i;
	}
	if (i && i->watch) {
		watch_thread_forked(child, parent);
		return true;
	}
	if (s->trace_children)
		say("process %d goes on unobserved: out of memory", (int)child->tgid);
	watch_clean(from->watch, child->space);
	child->space->user = NULL;
	return false;
}

static void on_unfollowed(void *ctx, struct task *task, const struct space *space, int err)
{
	const struct session *s = ctx;
	const struct image *from = space ? space->user : NULL;
	const char *advice = err == -EMFILE ? "; raise the hard limit of open files (ulimit -Hn)" : "";

	if (from && from->watch)
		watch_clean(from->watch, task->space);
	if (!space || s->trace_children)
		say("process %d goes on unobserved: %s%s", (int)task->tgid, strerror(-err), advice);
}

static void on_thread(void *ctx, struct task *task)
{
	struct image *i = session_image_of(task);

	(void)ctx;
	if (!i || !i->watch)
		return;
	watch_thread_begins(task);
	recorders_thread(i->recorders, task->tid, true);
}

static void on_syscall(void *ctx, struct task *task, const struct syscall_call *c)
{
	const struct session *s = ctx;
	struct image *i = session_image_of(task);
	struct alloc_chain chain = { 0 };
	struct page_event e;

	if (!i || !i->watch || i->stopped || s->suspended)
		return;
	heap_log_call(i, c);
	if (!page_event_of(c, &e))
		return;
	e.time_ns = clock_now_ns();
	if (e.text)
		watch_remapped(i->watch, task->tid);
	if (watch_chain(i->watch, task, &chain))
		chain = (struct alloc_chain){ .truncated = CHAIN_UNREADABLE };
	uint32_t node = profile_chain_node(i->profile, &chain);
	recorders_pages(i->recorders, &e, node == IDINDEX_NONE ? PD_ROOT_TRUNCATED : node);
}

static enum trap_answer on_trap(void *ctx, struct task *task, bool certain)
{
	struct image *i = session_image_of(task);

	(void)ctx;
	return i && i->watch ? watch_trap(i->watch, task, certain) : TRAP_NOT_OURS;
}

static void on_alone(void *ctx, struct task *task, bool out, bool stepped)
{
	struct image *i = session_image_of(task);

	(void)ctx;
	if (i && i->watch)
		watch_alone(i->watch, task, out, stepped);
}

static bool on_settle(void *ctx, struct task *task, bool trapped)
{
	struct image *i = session_image_of(task);

	(void)ctx;
	return i && i->watch && watch_settle(i->watch, task, trapped);
}

static void on_task_gone(void *ctx, struct task *task)
{
	struct image *i = session_image_of(task);

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
	i->ended_ns = clock_wall_ns();
	profile_stamp(i->profile, i->session->end_ns ? i->session->end_ns : clock_now_ns());
	recorders_end(i->recorders);
	i->counts = watch_counts(i->watch);
	watch_free(i->watch);
	i->watch = NULL;
	settle(i->session, i);
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

	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid || i->over || i->ended)
			continue;
		i->ended = true;
		s->ended(s, i);
		settle(s, i);
	}
	if (pid != s->root)
		return;
	s->root_status = wstatus;
	s->root_ended = true;
}

static void on_exiting(void *ctx, struct task *task)
{
	struct image *i = session_image_of(task);

	(void)ctx;
	if (i && i->watch)
		heap_leaving(i);
}

static bool on_signal(void *ctx, struct task *task, int sig)
{
	struct image *i = session_image_of(task);

	(void)ctx;
	return i && i->watch && heap_signal(i, task->tid, sig);
}

void session_saver_ended(struct session *s, pid_t pid, int wstatus)
{
	for (size_t i = 0; i < s->n_savers; i++) {
		if (s->savers[i].pid != pid)
			continue;
		s->saver_failed |= s->savers[i].last && wstatus;
		s->savers[i] = s->savers[--s->n_savers];
		return;
	}
}

static void on_reaped(void *ctx, pid_t pid, int wstatus)
{
	struct session *s = ctx;

	if (pid == s->reader)
		s->reader = 0;
	session_saver_ended(s, pid, wstatus);
}

static const struct tracer_ops ops = {
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

int session_init(struct session *s, bool trace_children, struct rules *rules, struct guard *guard)
{
	*s = (struct session){ .trace_children = trace_children,
			       .save = no_save,
			       .ended = no_save,
			       .restarts = no_save,
			       .wake = no_wake,
			       .progress = no_progress,
			       .record = no_recorders,
			       .max_size = UINT64_MAX };
	s->shared.guard = guard;
	watch_shared_rules(&s->shared, rules);
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

void session_restrict(struct session *s, uint64_t min, uint64_t max)
{
	s->min_size = min;
	s->max_size = max ? max : UINT64_MAX;
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
