/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/commands.h"

#include "base/clock.h"
#include "cli/answer.h"
#include "cli/apart.h"
#include "cli/file_commands.h"
#include "cli/keep.h"
#include "cli/looks.h"
#include "cli/oom.h"
#include "cli/results.h"
#include "mma/profile_stats.h"
#include "outputs/data.h"
#include "outputs/mma.h"
#include "proc/status.h"
#include "session/memory_limit.h"
#include "session/meter.h"
#include "session/signals.h"
#include "session/spare.h"
#include "session/unseen.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The latest image of the session's process. */
static const struct image *newest_image(const struct session *s)
{
	const struct image *newest = s->images;

	for (const struct image *i = s->images; i; i = i->next)
		if (i->pid == s->root)
			newest = i;
	return newest;
}

/* Add what each process has done; a line for people only if there are several. */
static void answer_processes(struct answer *a, const struct session *s, unsigned processes)
{
	char name[TITLE_MAX] = "?";

	for (const struct image *i = s->images; i; i = i->next) {
		const struct session_state st = session_image_state(i);

		if (!i->observed)
			continue;
		session_name(i, name);
		answer_process(a, &(struct answer_process){i->pid, name, st.allocs, st.frees,
							   st.live_bytes, processes > 1});
	}
}

/* What was live in the processes when they were let go; of one that has ended nothing is. */
static uint64_t live_when_let_go(const struct session *s)
{
	uint64_t live = 0;

	for (const struct image *i = s->images; i; i = i->next)
		live += i->ended || i->over ? 0 : i->profile->live_bytes;
	return live;
}

/* Of what is observed; or of what was, if nothing is any more. */
static const char *engine_of(const struct session *s, bool observes)
{
	uint32_t engines = 0;

	for (const struct image *i = s->images; i; i = i->next)
		if (i->observed || !observes)
			engines |= unseen_engines(i);
	return engines & PD_ENGINE_FAST ? "fast" : "trap";
}

static void answer_status(struct serve *v, const struct control_asker *to)
{
	struct session_state st = session_state(v->session);
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	double elapsed = (double)(clock_now_ns() - v->session->started_ns) / 1e9;
	double cpu = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		     (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	char name[TITLE_MAX] = "?";
	const char *unsaved = v->kept ? unwritten_behind(&v->outputs.unwritten, v->lasting) : NULL;

	const struct image *newest = newest_image(v->session);

	if (newest)
		session_name(newest, name);
	const struct session_cost cost = session_cost(v->session);
	const struct cost_span span = meter_read(v->session);
	uint64_t stops = v->session->observer->ops->effort(v->session->observer).stops;
	uint64_t memory = proc_status(getpid()).vm_rss;
	struct answer a;

	answer_begin(&a, to);
	answer_number(&a, NULL, "pid", (uint64_t)v->session->root);
	answer_text(&a, "state", "state",
		    v->kept			       ? "unsaved"
		    : session_is_suspended(v->session) ? "suspended"
						       : "tracing");
	answer_text(&a, "command", "command", name);
	answer_seconds(&a, "elapsed seconds", "elapsed_seconds", elapsed, 1);
	answer_number(&a, "processes", "processes", st.processes);
	answer_processes(&a, v->session, st.processes);
	answer_number(&a, "tasks", "tasks", st.tasks);
	answer_number(&a, "modules", "modules", st.modules);
	answer_number(&a, "allocations", "allocations", st.allocs);
	answer_number(&a, "frees", "frees", st.frees);
	answer_number(&a, "live bytes", "live_bytes",
		      v->kept ? live_when_let_go(v->session) : st.live_bytes);
	answer_number(&a, "events lost", "events_lost", st.lost);
	answer_number(&a, "stops", "stops", stops);
	answer_text(&a, "engine", "engine", engine_of(v->session, st.processes));
	answer_seconds(&a, "percent of the time that the tracer was busy", "busy_percent",
		       session_cost_share(&cost) * 100, 1);
	answer_seconds(&a, "times as long as by itself", "slowdown",
		       slowdown_of(&span), 2);
	answer_seconds(&a, "tracer's processor seconds", "tracer_cpu_seconds", cpu, 2);
	answer_number(&a, "tracer's memory in KiB", "tracer_memory_kib", memory);
	answer_number(&a, "of this for profiles", "profiles_memory_kib",
		      spare_used(v->session) / 1024);
	answer_text(&a, "not kept, for --max-memory", "not_kept",
		    memory_limit_words(v->session->spare_step));
	answer_text(&a, "tracer's oom_score_adj", "tracer_oom_score_adj", oom_told());
	if (unsaved)
		answer_text(&a, "not saved", "not_saved", unsaved);
	answer_send(&a);
}

/* The only image that is observed, or was last; NULL: there are several, or none. */
static const struct image *only_image(const struct session *s)
{
	const struct image *only = NULL;

	for (const struct image *i = s->images; i; i = i->next) {
		if (i->over)
			continue;
		if (only)
			return NULL;
		only = i;
	}
	return only;
}

/* The statistics of the group, if they are kept; else those of the only profile. */
static bool stats_now(const struct serve *v, struct mma_stats *st)
{
	const struct image *i = only_image(v->session);

	if (v->outputs.mma) {
		*st = mma_output_stats(v->outputs.mma, clock_now_ns());
		return true;
	}
	if (!i)
		return false;
	struct mma_stats of_profile = mma_stats_of_profile(&i->profile->load, &i->profile->totals);
	*st = mma_stats_until(&of_profile, clock_now_ns());
	return true;
}

static void answer_load(const struct serve *v, const struct control_asker *to)
{
	struct mma_stats st;
	struct answer a;

	if (!stats_now(v, &st)) {
		answer_error(to, "statistics of several programs are kept only if the session was "
				 "started "
			     "with --mma-stats-file or --mma-log-file");
		return;
	}
	answer_begin(&a, to);
	answer_stats(&a, &st, !v->options->mma.plain);
	answer_send(&a);
}

/* The client may read the logs next. */
static void flush_logs(struct serve *v)
{
	if (v->outputs.mma)
		mma_output_flush(v->outputs.mma);
}

/* @note: a sentence to add; NULL: none. */
static void answer_done(struct serve *v, const struct control_asker *to, const char *note)
{
	struct answer a;

	if (!note)
		flush_logs(v);
	answer_begin(&a, to);
	if (note)
		answer_note(&a, note);
	answer_send(&a);
}

/* If it is suspended already, that is no error. */
static void answer_suspend(struct serve *v, const struct control_asker *to)
{
	/* If --max-slowdown has begun a pause, the client takes it over. */
	bool now = meter_give_up_pause(v->session);

	now |= session_suspend(v->session);
	answer_done(v, to, now ? NULL : "the session is suspended already");
}

static void answer_resume(struct serve *v, const struct control_asker *to)
{
	bool resumed = session_resume(v->session);

	session_resume_recording(v->session);
	answer_done(v, to,
		    resumed || v->options->heap.defer ? NULL : "the session is not suspended");
}

static void answer_mark(struct serve *v, const struct control_asker *to)
{
	if (!v->options->mma.log_file) {
		answer_error(to, "this session writes no event log that could have a time stamp: "
				 "it was begun "
			     "without --mma-log-file");
		return;
	}
	session_stamp(v->session);
	answer_done(v, to, NULL);
}

static void answer_help(const struct control_asker *to)
{
	struct answer a;

	answer_begin(&a, to);
	answer_commands(&a);
	answer_send(&a);
}

static void answer_traces(struct serve *v, const struct control_request *r)
{
	bool is = session_observed_image(v->session, r->arg ? atoi(r->arg) : 0);

	if (is)
		answer_done(v, &r->from, NULL);
	else
		answer_error(&r->from, "it is not being traced");
}

/* The names are checked for each process that was profiled. */
static void answer_writes(struct serve *v, const struct control_request *r)
{
	bool writes = false;

	for (const struct image *i = v->session->images; i && r->arg && !writes; i = i->next)
		writes = outputs_write(v->options, i->pid, r->arg);
	if (writes)
		answer_done(v, &r->from, NULL);
	else
		answer_error(&r->from, "it does not write that file");
}

/* Try again to save what is kept; @path NULL: to the names from the options. */
static void save_kept(struct serve *v, const char *path, const struct control_asker *to)
{
	struct unwritten *unwritten = &v->outputs.unwritten;
	size_t before = path ? unwritten->n : v->lasting;
	struct unsaved files;
	struct answer a;
	int err = unsaved_list(&v->outputs, &files);

	if (!err)
		err = path ? unsaved_save_elsewhere(&v->outputs, path) : keep_try_again(v);
	const char *why = unwritten_behind(unwritten, before);

	if (err) {
		answer_error(to, why ? why : "not everything could be written");
	} else {
		answer_begin(&a, to);
		results_answer_saved(&v->outputs, &files, &a);
		answer_send(&a);
	}
	unsaved_release(&files);
	if (path) /* the next try does not use this path */
		unwritten_forget(unwritten, before);
}

/* After detaching, while a profile waits to be saved. */
static void carry_out_kept(struct serve *v, const struct control_request *r)
{
	switch (r->command->id) {
	case CONTROL_SAVE:
		save_kept(v, r->arg, &r->from);
		return;
	case CONTROL_STATUS:
		answer_status(v, &r->from);
		return;
	case CONTROL_HELP:
		answer_help(&r->from);
		return;
	case CONTROL_WRITES:
		answer_writes(v, r);
		return;
	case CONTROL_DISCARD:
		v->given_up = true;
		answer_done(v, &r->from, NULL);
		return;
	default:
		answer_error(&r->from, "it is not being traced any more: what could not be written "
				       "waits to be saved");
	}
}

static void carry_out(struct serve *v, const struct control_request *r)
{
	const struct control_asker *to = &r->from;

	flush_logs(v);
	switch (r->command->id) {
	case CONTROL_STATUS:
		answer_status(v, to);
		return;
	case CONTROL_STATS:
		answer_load(v, to);
		return;
	case CONTROL_SUSPEND:
		answer_suspend(v, to);
		return;
	case CONTROL_RESUME:
		answer_resume(v, to);
		return;
	case CONTROL_MARK:
		answer_mark(v, to);
		return;
	case CONTROL_SAVE:
		save_command(v, r->arg, to);
		return;
	case CONTROL_SNAPSHOT:
		massif_command(v, MASSIF_SNAPSHOT, r->arg, to);
		return;
	case CONTROL_DETAILED_SNAPSHOT:
		massif_command(v, MASSIF_DETAILED_SNAPSHOT, r->arg, to);
		return;
	case CONTROL_ALL_SNAPSHOTS:
		massif_command(v, MASSIF_ALL_SNAPSHOTS, r->arg, to);
		return;
	case CONTROL_HEAP_DUMP:
		heap_command(v, r->arg ? r->arg : "heap_dump", to);
		return;
	case CONTROL_DISCARD:
		answer_error(to, "only what could not be saved can be given up");
		return;
	case CONTROL_HELP:
		answer_help(to);
		return;
	case CONTROL_TRACES:
		answer_traces(v, r);
		return;
	case CONTROL_WRITES:
		answer_writes(v, r);
		return;
	case CONTROL_LOOK_HEAP:
	case CONTROL_LOOK_LEAKS:
	case CONTROL_LOOK_RSS:
	case CONTROL_LOOK_BEFORE:
	case CONTROL_FIGURES:
	case CONTROL_LOOK:
		looks_begin(v, r);
		return;
	case CONTROL_DETACH: /* answered at the end */
		return;
	}
}

static void answer_later(struct serve *v, const struct control_asker *to)
{
	if (v->n_waiting < sizeof v->waiting / sizeof *v->waiting)
		v->waiting[v->n_waiting++] = *to;
	else
		close(to->fd);
}

void serve_commands(struct serve *v)
{
	enum { AT_ONCE = 32 }; /* the program must not wait for many clients */
	struct control_request r;

	for (unsigned i = 0; i < AT_ONCE; i++) {
		if (!control_next(v->control, &r))
			return;
		if (r.command && r.command->id == CONTROL_DETACH) {
			answer_later(v, &r.from);
			continue;
		}
		if (!r.command)
			answer_error(&r.from, r.wrong);
		else if (v->kept)
			carry_out_kept(v, &r);
		else
			carry_out(v, &r);
		close(r.from.fd);
	}
	control_again();
}

/* Wait until the client closes the connection: it reads files from our memory that the answer
 * names. */
static void await_reader(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLRDHUP };

	shutdown(fd, SHUT_WR);
	signals_obeyed();
	while (!serve_told() && poll(&p, 1, 1000) <= 0)
		;
}

/* No program waits for us any more; but a client that never reads must not keep us for ever. */
static void answer_waiting(struct serve *v, const char *head, enum results what)
{
	static const char lost[] = CONTROL_FAILED "what became of the profiles cannot be told: "
						  "out of memory\n";
	char *results = v->n_waiting ? results_text(&v->outputs, head, what) : NULL;
	bool is_read = what == RESULTS && results && strstr(results, "\n" CONTROL_MEMORY);

	for (size_t i = 0; i < v->n_waiting; i++)
		control_answer_at_length(&v->waiting[i], results ? results : lost);
	for (size_t i = 0; i < v->n_waiting; i++) {
		if (is_read)
			await_reader(v->waiting[i].fd);
		close(v->waiting[i].fd);
	}
	v->n_waiting = 0;
	free(results);
}

void serve_answer_detached(struct serve *v)
{
	answer_waiting(v, v->kept == KEPT_AGAIN ? CONTROL_KEPT_AGAIN "\n" : CONTROL_KEPT "\n",
		       RESULTS_KEPT);
}

void serve_last_answers(struct serve *v)
{
	struct error last;

	if (results_last_word(&v->outputs, &last))
		control_leave_note(v->control, last.text);
	/* A client that has read the answer may attach again at once. */
	control_stop(v->control);
	serve_commands(v); /* those that came in the meantime */
	answer_waiting(v, "", RESULTS);
}
