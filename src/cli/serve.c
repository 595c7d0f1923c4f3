/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/serve.h"

#include "attach/follow.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/keep.h"
#include "cli/last_look.h"
#include "cli/load_rules.h"
#include "cli/looks.h"
#include "cli/oom.h"
#include "cli/unheard.h"
#include "outputs/data.h"
#include "outputs/pages.h"
#include "outputs/write.h"
#include "proc/tasks.h"
#include "session/loop.h"
#include "session/saving.h"
#include "session/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- the status line ---- */

bool serve_has_status_line(const struct serve *v)
{
	return v->end_on_interrupt && !v->options->background && isatty(STDERR_FILENO);
}

static void status_line(struct serve *v)
{
	uint64_t now = clock_now_ns();
	char line[256];

	if (!serve_has_status_line(v) || now - v->last_tick_ns < SESSION_TICK_MS * 1000000ull)
		return;
	struct session_state st = session_state(v->session);
	uint64_t events = st.allocs + st.frees;
	double per_second = (double)(events - v->last_events) * 1e9 /
			    (double)(now - v->last_tick_ns);

	snprintf(line, sizeof line,
		 "\rmprof: %.1f s, %" PRIu64 " events, %" PRIu64
		 " bytes live, %.0f events/s%s\033[K",
		 (double)(now - v->session->started_ns) / 1e9, events, st.live_bytes, per_second,
		 v->session->suspended ? ", suspended" : "");
	unheard_try(line);
	v->last_events = events;
	v->last_tick_ns = now;
}

/* ---- functions of the session's host ---- */

void serve_leave_clients(void *control)
{
	control_drop(control);
	unheard_child();
}

static pid_t beside(struct session *s, int (*write)(void *ctx), void *ctx)
{
	const struct serve *v = s->owner;
	pid_t pid = save_child_fork(serve_leave_clients, v->control);

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

	if (err && !s->save_children.failing)
		say("%s", e.text);
	free(path);
	return err;
}

static int snapshot(struct session *s, const struct image *i, const char *why)
{
	const struct serve *v = s->owner;
	struct error e;
	char *path;
	int err = data_save_snapshot(&v->outputs, i, &path, &e);

	if (err)
		say("%s: %s", why, e.text);
	else
		say("%s: the profile until then is in %s", why, path);
	free(path);
	return err;
}

static void attend(struct session *s)
{
	struct serve *v = s->owner;

	if (v->control)
		serve_commands(v);
	looks_serve(v);
	unheard_flush();
	status_line(v);
}

static bool is_over(struct session *s)
{
	return ((const struct serve *)s->owner)->n_waiting;
}

const struct session_host serve_host = { .say = say_sentence, .save = save,
					 .snapshot = snapshot, .beside = beside,
					 .attend = attend, .is_over = is_over,
					 .finishes = last_look_goes_on };

/* ---- a session ---- */

bool serve_open_control(struct serve *v, pid_t pid)
{
	struct error e;
	int err = control_open(pid, &v->control, &e);

	if (err == -EADDRINUSE)
		say("%s", e.text);
	else if (err && v->options->needs_control)
		say("no control socket: %s", e.text);
	else if (err)
		say("no control socket: %s; mprof detach, status and control cannot reach this "
		    "session, SIGTERM to process %d ends it", e.text, (int)getppid());
	else if (*e.text)
		say("%s; the control socket is elsewhere", e.text);
	return !err || (err != -EADDRINUSE && !v->options->needs_control);
}

/* Write everything, after detaching. */
static int write_all(struct serve *v)
{
	struct session *s = v->session;

	signals_hurry(v->journal);
	int recorded = session_finish_outputs(s), profiled = session_failed(s) ? -EIO : 0;

	output_leave_out(&v->outputs);
	v->lasting = v->outputs.unwritten.n;
	int err = output_session(&v->outputs), paged = pages_of_session(&v->outputs);
	signals_hurry_no_more();
	if (v->options->background && v->control && output_unsaved(s))
		err = keep_until_saved(v);
	err = err ? err : recorded ? recorded : profiled ? profiled : paged;
	return err ? err : s->save_children.failed ? -EIO : 0;
}

int serve_session(struct serve *v)
{
	struct session *s = v->session;

	v->last_tick_ns = clock_now_ns();
	oom_protect();
	int err = session_run(s);
	if (serve_has_status_line(v))
		unheard_try("\r\033[K");
	if (err)
		say("waiting for the program failed (%s): letting it go", strerror(-err));
	if (serve_told() == SIGXCPU)
		say("the limit of processor time (ulimit -Ht) is near: letting the program go");
	looks_end(v);
	last_look_end(v);
	session_let_go(s);
	signals_interrupt();
	unheard_wait();
	if (!s->refused)
		err = write_all(v);
	say_not_found(v->watched->rules);
	/* If we saw the process start, each ifunc in use was reported. */
	if (!s->launched)
		say_not_resolved(v->watched);
	if (v->control)
		serve_last_answers(v);
	/* The clients that waited for the end have their answers. */
	lacking_say(&v->lacking, v->options);
	return err;
}
