/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/serve.h"

#include "base/clock.h"
#include "cli/load_rules.h"

#include "attach/follow.h"
#include "base/array.h"
#include "cli/commands.h"
#include "cli/keep.h"
#include "cli/oom.h"
#include "outputs/data.h"
#include "outputs/write.h"
#include "proc/tasks.h"
#include "session/execs.h"
#include "session/saving.h"
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
	double elapsed = (double)(clock_now_ns() - v->session->started_ns) / 1e9;

	return v->options->duration > 0 && elapsed >= v->options->duration;
}

static void start_ticking(const struct serve *v)
{
	struct itimerval every = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } };

	struct itimerval once = { { 0, 0 }, { session_ahead_s(v->session), 0 } };

	if (v->options->duration > 0 || has_status_line(v) || session_ticks(v->session))
		setitimer(ITIMER_REAL, &every, NULL);
	else if (once.it_value.tv_sec)
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
		(double)(now - v->session->started_ns) / 1e9, events, st.live_bytes, per_second,
		v->session->suspended ? ", suspended" : "");
	v->last_events = events;
	v->last_tick_ns = now;
}

/* ---- whom the session asks ---- */

/* Whoever asks is answered by the tracing process alone. */
static void leave_clients(void *control)
{
	control_drop(control);
}

static pid_t beside(struct session *s, int (*write)(void *ctx), void *ctx)
{
	const struct serve *v = s->owner;
	pid_t pid = save_child_fork(leave_clients, v->control);

	if (!pid)
		_exit(write(ctx) ? STATUS_FAILED : 0);
	return pid;
}

static int save(struct session *s, const struct image *i)
{
	const struct serve *v = s->owner;

	struct error e;
	char *path;
	int err = data_save_as(&v->outputs, i, NULL, &path, &e);

	if (err)
		say("%s", e.text);
	free(path);
	return err;
}

/* While a stop is served nobody sleeps. */
static void wake_loop(struct session *s)
{
	(void)s;
	signals_attention = 1;
}

const struct session_host serve_host = { .say = say_sentence, .save = save, .beside = beside,
					 .wake = wake_loop };

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

	s->started_ns = v->last_tick_ns = clock_now_ns();
	oom_protect();
	start_ticking(v);
	int err = loop(v);
	stop_ticking(v);
	if (err)
		say("waiting for the program failed (%s): letting it go", strerror(-err));
	session_end(s);
	tracer_detach_all(v->tracer);
	session_await_writers(s);
	if (!s->refused) {
		int recorded = session_finish_outputs(s), profiled = session_failed(s) ? -EIO : 0;

		session_leave_out(s);
		if (s->left_out_text)
			say("%s", s->left_out_text);
		v->lasting = v->outputs.unwritten.n;
		err = output_session(&v->outputs);
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
