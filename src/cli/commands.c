/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/commands.h"

#include "attach/target.h"
#include "base/clock.h"
#include "cli/heap.h"
#include "cli/massif.h"
#include "cli/mma_output.h"
#include "cli/oom.h"
#include "cli/output.h"
#include "mma/profile_stats.h"
#include "mma/stats_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* A client that does not read its answer does without. */
__attribute__((format(printf, 2, 3))) static void answer(int fd, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n > 0)
		send(fd, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1,
		     MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void answer_status(struct serve *v, int fd)
{
	struct session_state st = session_state(v->session);
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	double elapsed = (double)(clock_now_ns() - v->started_ns) / 1e9;
	double cpu = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
		     (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
	const struct image *i = v->session->images;

	answer(fd,
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
	       "tracer's memory in KiB: %ld\n"
	       "tracer's oom_score_adj: %s\n",
	       session_is_suspended(v->session) ? "suspended" : "tracing",
	       i && i->command && i->command[0] ? i->command[0] : "?", elapsed, st.processes, st.tasks,
	       st.modules, st.allocs, st.frees, st.live_bytes, st.lost,
	       tracer_stops(v->session->tracer), cpu, status_field(getpid(), "VmRSS"), oom_told());
}

/* The one image that is watched; NULL: there are several, or none. */
static const struct image *only_image(const struct session *s)
{
	const struct image *only = NULL;

	for (const struct image *i = s->images; i; i = i->next) {
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
		answer(fd, "error statistics of several programs are kept only if the session was started "
			   "with --mma-stats-file or --mma-log-file\n");
		return;
	}
	FILE *out = fmemopen(text, sizeof text, "w");
	if (!out) {
		answer(fd, "error out of memory\n");
		return;
	}
	mma_stats_print(&st, !v->options->mma.plain, out);
	fclose(out);
	answer(fd, "ok\n%s", text);
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
	answer(fd, "ok\n");
}

/* There may be nothing to do, which is no failure: what was asked for is so. */
static void answer_suspend(struct serve *v, int fd)
{
	if (session_suspend(v->session))
		answer_done(v, fd);
	else
		answer(fd, "ok\nthe session is suspended already\n");
}

static void answer_resume(struct serve *v, int fd)
{
	bool resumed = session_resume(v->session);

	heap_resume(v->session);
	if (resumed || v->options->heap.defer)
		answer_done(v, fd);
	else
		answer(fd, "ok\nthe session is not suspended\n");
}

static void answer_mark(struct serve *v, int fd)
{
	if (!v->options->mma.log_file) {
		answer(fd, "error this session writes no event log that could have a time stamp: it was begun "
			   "without --mma-log-file\n");
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

		answer(r->fd, is ? "ok\n" : "error it is not being traced\n");
	} else if (!strcmp(r->line, "help")) {
		answer(r->fd, "ok\n%s", commands_help);
	} else if (!strcmp(r->line, "status")) {
		answer_status(v, r->fd);
	} else if (!strcmp(r->line, "suspend")) {
		answer_suspend(v, r->fd);
	} else if (!strcmp(r->line, "resume")) {
		answer_resume(v, r->fd);
	} else if (n == 9 && !strncmp(r->line, "heap_dump", 9)) {
		char text[CONTROL_LINE_MAX];

		heap_dump(v->session, arg ? arg + 1 : "heap_dump", text, sizeof text);
		answer(r->fd, "%s", text);
	} else if (!strcmp(r->line, "mark")) {
		answer_mark(v, r->fd);
	} else if (!strcmp(r->line, "stats")) {
		answer_stats(v, r->fd);
	} else {
		answer(r->fd, "error this session does not know that command\n");
	}
	close(r->fd);
}

void serve_commands(struct serve *v)
{
	struct control_request r;

	while (control_next(v->control, &r))
		carry_out(v, &r);
}

/* Nothing else waits for us any more; but a client that never reads must not keep us. */
static void answer_at_length(int fd, const char *text)
{
	struct timeval patience = { .tv_sec = 5 };
	size_t left = strlen(text);

	fcntl(fd, F_SETFL, 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (send(fd, "ok\n", 3, MSG_NOSIGNAL) != 3)
		return;
	while (left) {
		ssize_t n = send(fd, text, left, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		text += n;
		left -= (size_t)n;
	}
}

void serve_last_answers(struct serve *v)
{
	char *names = output_data_names(v->session, v->options);

	/* Who reads the answer may attach again at once. */
	control_stop(v->control);
	serve_commands(v); /* whoever has asked in the meantime */
	for (size_t i = 0; i < v->n_detach_fds; i++) {
		answer_at_length(v->detach_fds[i], names ? names : "");
		close(v->detach_fds[i]);
	}
	v->n_detach_fds = 0;
	free(names);
}
