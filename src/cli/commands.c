/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/commands.h"

#include "base/clock.h"
#include "cli/heap.h"
#include "cli/keep.h"
#include "cli/massif.h"
#include "cli/mma_output.h"
#include "cli/oom.h"
#include "cli/output.h"
#include "cli/unwritten.h"
#include "control/answer.h"
#include "mma/profile_stats.h"
#include "mma/stats_text.h"
#include "proc/status.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Of the process that it is about: what it runs now, or ran last. */
static const struct image *newest_image(const struct session *s)
{
	const struct image *newest = s->images;

	for (const struct image *i = s->images; i; i = i->next)
		if (i->pid == s->root)
			newest = i;
	return newest;
}

static void answer_status(struct serve *v, int fd)
{
	struct session_state st = session_state(v->session);
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	double elapsed = (double)(clock_now_ns() - v->started_ns) / 1e9;
	double cpu = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		     (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	char name[TITLE_MAX] = "?";
	const char *unsaved = v->kept ? unwritten_behind(v->lasting) : NULL;

	const struct image *newest = newest_image(v->session);

	if (newest)
		session_name(newest, name);
	control_answer(fd,
	       "ok\n"
	       "state: %s\n"
	       "command: %s\n"
	       "elapsed seconds: %.1f\n"
	       "processes: %u\n"
	       "tasks: %u\n"
	       "modules: %u\n"
	       "allocations: %" PRIu64 "\n"
	       "frees: %" PRIu64 "\n"
	       "live bytes: %" PRIu64 "\n"
	       "events lost: %" PRIu64 "\n"
	       "stops: %" PRIu64 "\n"
	       "tracer's processor seconds: %.2f\n"
	       "tracer's memory in KiB: %" PRIu64 "\n"
	       "tracer's oom_score_adj: %s\n"
	       "%s%s%s",
	       v->kept ? "unsaved" : session_is_suspended(v->session) ? "suspended" : "tracing",
	       name, elapsed, st.processes, st.tasks,
	       st.modules, st.allocs, st.frees, st.live_bytes, st.lost,
	       v->session->observer->ops->effort(v->session->observer).stops, cpu, proc_status(getpid()).vm_rss,
	       oom_told(),
	       unsaved ? "not saved: " : "", unsaved ? unsaved : "", unsaved ? "\n" : "");
}

/* The one image that is watched, or was last; NULL: there are several, or none. */
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

/* Of the group, if it is kept; else of the one profile there is. */
static bool stats_now(const struct session *s, struct mma_stats *st)
{
	const struct image *i = only_image(s);

	if (s->mma) {
		*st = mma_output_stats(s->mma, clock_now_ns());
		return true;
	}
	if (!i)
		return false;
	struct mma_stats of_profile = mma_stats_of_profile(&i->profile->load, &i->profile->totals);
	*st = mma_stats_until(&of_profile, clock_now_ns());
	return true;
}

static void answer_stats(const struct serve *v, int fd)
{
	struct mma_stats st;
	char text[1024];

	if (!stats_now(v->session, &st)) {
		control_answer(fd, "error statistics of several programs are kept only if the "
				   "session was started with --mma-stats-file or --mma-log-file\n");
		return;
	}
	FILE *out = fmemopen(text, sizeof text, "w");
	if (!out) {
		control_answer(fd, "error out of memory\n");
		return;
	}
	mma_stats_print(&st, !v->options->mma.plain, out);
	fclose(out);
	control_answer(fd, "ok\n%s", text);
}

/* Who asks may want to look at the logs next. */
static void flush_logs(struct serve *v)
{
	if (v->session->mma)
		mma_output_flush(v->session->mma);
}

static void answer_done(struct serve *v, int fd)
{
	flush_logs(v);
	control_answer(fd, "ok\n");
}

/* There may be nothing to do, which is no failure: what was asked for is so. */
static void answer_suspend(struct serve *v, int fd)
{
	if (session_suspend(v->session))
		answer_done(v, fd);
	else
		control_answer(fd, "ok\nthe session is suspended already\n");
}

static void answer_resume(struct serve *v, int fd)
{
	bool resumed = session_resume(v->session);

	session_resume_recording(v->session);
	if (resumed || v->options->heap.defer)
		answer_done(v, fd);
	else
		control_answer(fd, "ok\nthe session is not suspended\n");
}

static void answer_mark(struct serve *v, int fd)
{
	if (!v->options->mma.log_file) {
		control_answer(fd, "error this session writes no event log that could have a time "
				   "stamp: it was begun without --mma-log-file\n");
		return;
	}
	session_stamp(v->session);
	answer_done(v, fd);
}

static void answer_later(struct serve *v, int fd)
{
	if (v->n_detach_fds < sizeof v->detach_fds / sizeof *v->detach_fds)
		v->detach_fds[v->n_detach_fds++] = fd;
	else
		close(fd);
}

static const char commands_help[] =
	"status                    what the session has seen so far\n"
	"stats                     the load up to now\n"
	"mark                      a time stamp in the event logs\n"
	"suspend, resume           take the traps out of the program; put them back\n"
	"save [FILE]               write the data file as it is now\n"
	"snapshot [FILE]           write a massif file with one snapshot of this moment\n"
	"detailed_snapshot [FILE]  the same with a tree\n"
	"all_snapshots [FILE]      write a massif file with all snapshots so far\n"
	"heap_dump [REASON]        write a heap profile of this moment\n"
	"discard                   give up a profile that could not be saved\n"
	"help                      this list\n";

/* False: it is no command of Massif's. */
static bool serve_massif(struct serve *v, const char *name, size_t len, const char *arg, int fd)
{
	static const char *const names[] = { [MASSIF_SNAPSHOT] = "snapshot",
					     [MASSIF_DETAILED_SNAPSHOT] = "detailed_snapshot",
					     [MASSIF_ALL_SNAPSHOTS] = "all_snapshots" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		if (strlen(names[i]) != len || strncmp(name, names[i], len))
			continue;
		massif_command(v, i, arg ? arg + 1 : NULL, fd);
		return true;
	}
	return false;
}

/* One more try to save what is kept; without a @path where the options say. */
static void save_kept(struct serve *v, const char *path, int fd)
{
	size_t before = path ? unwritten_count() : v->lasting;
	int err = path ? output_save_elsewhere(v->session, v->options, path) : keep_try_again(v);
	char *names = err ? NULL : output_results(v->session, v->options, RESULTS_SAVED);

	const char *why = unwritten_behind(before);

	if (err)
		control_answer(fd, "error %s\n", why ? why : "not everything could be written");
	else
		control_answer(fd, "ok\n%s", names ? names : "");
	free(names);
	if (path) /* it is no place where the next try would be */
		unwritten_forget(before);
}

/* The programs have been let go, and a profile waits to be saved. */
static void carry_out_kept(struct serve *v, struct control_request *r)
{
	if (!strcmp(r->line, "detach")) {
		answer_later(v, r->fd);
		return;
	}
	if (!strcmp(r->line, "save")) {
		save_kept(v, NULL, r->fd);
	} else if (!strncmp(r->line, "save ", 5)) {
		save_kept(v, r->line + 5, r->fd);
	} else if (!strcmp(r->line, "status")) {
		answer_status(v, r->fd);
	} else if (!strcmp(r->line, "help")) {
		control_answer(r->fd, "ok\n%s", commands_help);
	} else if (!strcmp(r->line, "discard")) {
		v->given_up = true;
		control_answer(r->fd, "ok\n");
	} else {
		control_answer(r->fd, "error it is not being traced any more: its profile waits to "
				      "be saved\n");
	}
	close(r->fd);
}

static void carry_out(struct serve *v, struct control_request *r)
{
	const char *arg = strchr(r->line, ' ');
	size_t n = arg ? (size_t)(arg - r->line) : strlen(r->line);

	if (!strcmp(r->line, "detach")) {
		answer_later(v, r->fd);
		return;
	}
	flush_logs(v);
	if (n == 4 && !strncmp(r->line, "save", 4)) {
		serve_save(v, arg ? arg + 1 : NULL, r->fd);
	} else if (serve_massif(v, r->line, n, arg, r->fd)) {
		/* the writer answers */
	} else if (n == 6 && !strncmp(r->line, "traces", 6)) {
		bool is = massif_traces(v->session, arg ? atoi(arg) : 0);

		control_answer(r->fd, is ? "ok\n" : "error it is not being traced\n");
	} else if (!strcmp(r->line, "help")) {
		control_answer(r->fd, "ok\n%s", commands_help);
	} else if (!strcmp(r->line, "status")) {
		answer_status(v, r->fd);
	} else if (!strcmp(r->line, "suspend")) {
		answer_suspend(v, r->fd);
	} else if (!strcmp(r->line, "resume")) {
		answer_resume(v, r->fd);
	} else if (n == 9 && !strncmp(r->line, "heap_dump", 9)) {
		char text[CONTROL_LINE_MAX];

		heap_dump(v->session, arg ? arg + 1 : "heap_dump", text, sizeof text);
		control_answer(r->fd, "%s", text);
	} else if (!strcmp(r->line, "mark")) {
		answer_mark(v, r->fd);
	} else if (!strcmp(r->line, "stats")) {
		answer_stats(v, r->fd);
	} else if (!strcmp(r->line, "discard")) {
		control_answer(r->fd, "error only a profile that could not be saved can be "
				      "given up\n");
	} else {
		control_answer(r->fd, "error this session does not know that command\n");
	}
	close(r->fd);
}

void serve_commands(struct serve *v)
{
	struct control_request r;

	while (control_next(v->control, &r)) {
		if (v->kept)
			carry_out_kept(v, &r);
		else
			carry_out(v, &r);
	}
}

static bool send_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = send(fd, text, left, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		text += n;
		left -= (size_t)n;
	}
	return true;
}

/* Nothing else waits for us any more; but a client that never reads must not keep us. */
static void answer_at_length(int fd, const char *head, const char *text)
{
	struct timeval patience = { .tv_sec = 5 };

	fcntl(fd, F_SETFL, 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (send_all(fd, head))
		send_all(fd, text);
}

static void answer_waiting(struct serve *v, const char *head, enum results what)
{
	char *results = v->n_detach_fds ? output_results(v->session, v->options, what) : NULL;

	for (size_t i = 0; i < v->n_detach_fds; i++) {
		answer_at_length(v->detach_fds[i], head, results ? results : "");
		close(v->detach_fds[i]);
	}
	v->n_detach_fds = 0;
	free(results);
}

void serve_answer_detached(struct serve *v)
{
	answer_waiting(v, v->kept == KEPT_AGAIN ? "ok\nkept again\n" : "ok\nkept\n", RESULTS_KEPT);
}

void serve_last_answers(struct serve *v)
{
	struct error last;

	if (output_last_word(v->session, v->options, &last))
		control_leave_note(v->control, last.text);
	/* Who reads the answer may attach again at once. */
	control_stop(v->control);
	serve_commands(v); /* whoever has asked in the meantime */
	answer_waiting(v, "ok\n", RESULTS);
}
