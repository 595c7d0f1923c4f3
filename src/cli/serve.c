/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/serve.h"

#include "base/clock.h"
#include "cli/load_rules.h"

#include "attach/follow.h"
#include "base/array.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/heap.h"
#include "cli/keep.h"
#include "cli/massif.h"
#include "cli/mma_output.h"
#include "cli/oom.h"
#include "cli/output.h"
#include "cli/unwritten.h"
#include "proc/tasks.h"
#include "session/execs.h"
#include "session/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 250 };

/* ---- processors ---- */

int share_one_cpu(pid_t pid, struct error *e)
{
	int cpu = pid ? follow_processor_of(pid) : sched_getcpu();
	struct proc_tasks tasks = { 0 };
	cpu_set_t set;
	int err = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		err = -errno;
	if (pid)
		proc_tasks_open(&tasks, pid);
	for (pid_t tid; !err && (tid = proc_tasks_next(&tasks));)
		if (sched_setaffinity(tid, sizeof set, &set) && errno != ESRCH)
			err = -errno;
	proc_tasks_close(&tasks);
	return err ? error_set(e, err, "--wait=pin: cannot set the processor: "
				       "%s", strerror(-err)) : 0;
}

/* ---- time ---- */

static bool has_status_line(const struct serve *v)
{
	return v->end_on_interrupt && !v->options->background && isatty(STDERR_FILENO);
}

static bool time_is_over(const struct serve *v)
{
	double elapsed = (double)(clock_now_ns() - v->started_ns) / 1e9;

	return v->options->duration > 0 && elapsed >= v->options->duration;
}

static void start_ticking(const struct serve *v)
{
	struct itimerval every = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } };

	struct itimerval once = { { 0, 0 }, { MASSIF_AHEAD_S, 0 } };

	if (v->options->duration > 0 || has_status_line(v) || v->options->heap.intervals.time_ns)
		setitimer(ITIMER_REAL, &every, NULL);
	else if (v->session->massif)
		setitimer(ITIMER_REAL, &once, NULL);
}

static void stop_ticking(const struct serve *v)
{
	struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	if (has_status_line(v))
		fputs("\r\033[K", stderr);
}

static void status_line(struct serve *v)
{
	uint64_t now = clock_now_ns();

	if (!has_status_line(v) || now - v->last_tick_ns < TICK_MS * 1000000ull)
		return;
	struct session_state st = session_state(v->session);
	uint64_t events = st.allocs + st.frees;
	double per_second = (double)(events - v->last_events) * 1e9 /
			    (double)(now - v->last_tick_ns);

	fprintf(stderr,
		"\rmprof: %.1f s, %" PRIu64 " events, %" PRIu64
		" bytes live, %.0f events/s%s\033[K",
		(double)(now - v->started_ns) / 1e9, events, st.live_bytes, per_second,
		v->session->suspended ? ", suspended" : "");
	v->last_events = events;
	v->last_tick_ns = now;
}

/* ---- save children ---- */

static struct serve *serving; /* the session has no pointer back to what serves it */

/* Whoever asks is answered by the tracing process alone. */
static void leave_clients(void *control)
{
	control_drop(control);
}

pid_t serve_fork(struct serve *v)
{
	return save_child_fork(leave_clients, v->control);
}

static void remember(struct session *s, const struct image *i, pid_t pid, bool last)
{
	save_children_add(&s->save_children, pid, i->pid, last, s->say);
}

static void start_saving(struct session *s, struct image *i, const char *path,
			 const struct control_asker *to)
{
	pid_t pid = serve_fork(serving);

	if (!pid)
		_exit(output_save(s, serving->options, i, path, to) ? STATUS_FAILED : 0);
	remember(s, i, pid, false);
}

void serve_forked(struct serve *v, const struct image *i, pid_t pid)
{
	remember(v->session, i, pid, false);
}

/* A save child's whole life; what it has found out of names is kept for the next one. */
static void write_massif_and_leave(struct session *s, const struct image *i, bool superseded)
{
	int err = massif_image_write(s, i, superseded);

	massif_session_close(s);
	_exit(err ? STATUS_FAILED : 0);
}

/* Of a program that has executed another one it may not be known yet whether its file is wanted. */
static bool massif_is_due(const struct session *s, const struct image *i)
{
	if (!s->massif || i->massif_written || i->fate == EXEC_LEFT_OUT)
		return false;
	return !i->over || i->fate == EXEC_KEPT || massif_keeps_execs(s);
}

/* The last one is written by ourselves: nothing is left to be traced meanwhile. */
static void save_ended(struct session *s, struct image *i)
{
	if (!massif_is_due(s, i) || (!i->over && !tracer_has_tasks(serving->tracer)))
		return;
	pid_t pid = serve_fork(serving);

	i->massif_written = pid >= 0;

	if (!pid)
		write_massif_and_leave(s, i, i->over);
	remember(s, i, pid, i->massif_written);
}

static void save_restarting(struct session *s, struct image *i)
{
	/* What has just been saved is begun anew. */
	save_children_are_last(&s->save_children);
	if (!s->massif)
		return;
	pid_t pid = serve_fork(serving);

	if (!pid)
		write_massif_and_leave(s, i, true);
	remember(s, i, pid, true);
	i->massif_nth++;
}

static void save_image(struct session *s, struct image *i)
{
	/* One after the other: the last to finish must be the last to have begun. */
	save_children_await(&s->save_children);
	start_saving(s, i, NULL, NULL);
}

static void stop_reader(struct session *s)
{
	if (s->reader <= 0)
		return;
	kill(s->reader, SIGKILL);
	while (waitpid(s->reader, NULL, 0) < 0 && errno == EINTR)
		;
	s->reader = 0;
}

static bool is_to_be_saved(const struct serve *v, const struct image *i, const char *path)
{
	return !i->over && (path ? i->pid == v->session->root : i->observed != NULL);
}

void serve_save(struct serve *v, const char *path, const struct control_asker *to)
{
	size_t n = 0;

	save_children_await(&v->session->save_children);
	for (struct image *i = v->session->images; i; i = i->next)
		n += is_to_be_saved(v, i, path);
	if (!n) {
		answer_error(to, "nothing is traced any more that could be saved");
		return;
	}
	/* Each of them sends a part. */
	control_answer_begin(to, n);
	for (struct image *i = v->session->images; i; i = i->next)
		if (is_to_be_saved(v, i, path))
			start_saving(v->session, i, path, to);
}

/* ---- what is kept besides the profile ---- */

static void tell_progress(struct session *s, const char *what)
{
	if (s->mma)
		mma_output_progress(s->mma, what);
}

/* While a stop is served nobody sleeps. */
static void wake_loop(struct session *s)
{
	(void)s;
	signals_attention = 1;
}

/* Beside the profile, and before it, for it may take long. */
static int write_recorded(struct session *s)
{
	return s->mma ? mma_output_write(s->mma) : 0;
}

/* ---- the loop ---- */

static bool is_over(struct serve *v)
{
	return serve_told() || v->n_waiting || !tracer_has_tasks(v->tracer) ||
	       time_is_over(v);
}

static int loop(struct serve *v)
{
	int err = 0;

	while (!err) {
		signals_attended();
		if (v->control)
			serve_commands(v);
		session_attend(v->session);
		status_line(v);
		session_tick(v->session);
		massif_read_names_ahead(v);
		if (is_over(v))
			break;
		err = tracer_run(v->tracer, &signals_attention);
		/* A control socket may be ready without a signal's having come. */
		if (!signals_attention && !tracer_has_tasks(v->tracer))
			break;
	}
	signals_end();
	return err;
}

bool serve_open_control(struct serve *v, pid_t pid)
{
	struct error e;
	int err = control_open(pid, &v->control, &e);

	if (err == -EADDRINUSE)
		say("%s", e.text);
	else if (err)
		say("no control socket: %s; mprof detach, status and control cannot reach this "
		    "session, SIGTERM to process %d ends it", e.text, (int)getppid());
	else if (*e.text)
		say("%s; the control socket is elsewhere", e.text);
	return err != -EADDRINUSE;
}

void serve_raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int serve_session(struct serve *v)
{
	struct session *s = v->session;

	serving = v;
	s->save = save_image;
	s->ended = save_ended;
	s->progress = tell_progress;
	s->wake = wake_loop;
	s->restarts = save_restarting;
	s->autosave = v->options->autosave;
	v->started_ns = v->last_tick_ns = clock_now_ns();
	oom_protect();
	start_ticking(v);
	int err = loop(v);
	stop_ticking(v);
	if (err)
		say("waiting for the program failed (%s): letting it go", strerror(-err));
	session_end(s);
	if (s->mma)
		mma_output_end(s->mma, s->end_ns);
	tracer_detach_all(v->tracer);
	stop_reader(s);
	save_children_await(&s->save_children);
	if (!s->refused) {
		int recorded = write_recorded(s), profiled = session_failed(s) ? -EIO : 0;

		session_leave_out(s);
		if (s->left_out_text)
			say("%s", s->left_out_text);
		v->lasting = unwritten_count();
		err = output_session(s, v->options);
		if (v->options->background && v->control && output_unsaved(s))
			err = keep_until_saved(v);
		err = err ? err : recorded ? recorded : profiled;
		err = err ? err : s->save_children.failed ? -EIO : 0;
	}
	say_not_found(v->watched->rules);
	/* Whose start we saw has told of each that it uses. */
	if (!s->launched)
		say_not_resolved(v->watched);
	if (v->control)
		serve_last_answers(v);
	return err;
}
