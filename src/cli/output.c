/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/output.h"

#include "base/texts.h"
#include "cli/filename.h"
#include "cli/heapfiles.h"
#include "cli/massif.h"
#include "cli/massif_report.h"
#include "cli/names.h"
#include "cli/own_heaps.h"
#include "cli/progress.h"
#include "cli/stream.h"
#include "massif/timeline.h"
#include "profile/datafile.h"
#include "report/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int print_profile(struct profile_data *d, const struct options *o, FILE *out)
{
	struct view view = o->view;

	view.alloc_fns = o->alloc_fns;
	view.ignore_fns = o->ignore_fns;
	int err = view_apply(&view, d);

	if (err)
		return err;
	if (o->format == FORMAT_MASSIF || o->format == FORMAT_MS_PRINT) {
		err = massif_report_data(d, o, out);
		return err == -EINVAL ? PRINT_SAID : err;
	}
	if (is_pprof_format(o->format) || o->pprof.list) {
		struct error e;

		err = heapfiles_print_data(d, o, out, &e);
		if (err != -EINVAL)
			return err;
		say("%s", e.text);
		return PRINT_SAID;
	}
	return o->format == FORMAT_JSON ? report_json(d, out) : report_tables(d, &o->report, out);
}

/* ---- beforehand ---- */

static int check_directory(const char *path, const char *what)
{
	char *copy = strdup(path);
	struct stat st;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		err = EISDIR;
	else if (access(dirname(copy), W_OK | X_OK))
		err = errno;
	if (err)
		say("cannot write %s %s: %s", what, path, strerror(err));
	free(copy);
	return -err;
}

/* What is there is looked at, not opened: a fifo's reader must not see us come and go. */
int output_check_file(const char *path, const char *what)
{
	struct stat st;

	if (stat(path, &st) || S_ISDIR(st.st_mode))
		return check_directory(path, what);
	if (!access(path, W_OK))
		return 0;
	int err = errno;
	say("cannot write %s %s: %s", what, path, strerror(err));
	return -err;
}

static int check_file(const char *pattern, const char *what)
{
	struct error e;
	char *path = filename_expand(pattern, getpid(), &e);

	if (!path) {
		say("%s", e.text);
		return -EINVAL;
	}
	int err = output_check_file(path, what);
	free(path);
	return err;
}

/* Whether heap profiles can be written shows when they are due; the program runs on if they cannot. */
int output_check(const struct options *o)
{
	struct error e;
	char *data = filename_expand(o->data, getpid(), &e);

	if (!data) {
		say("%s", e.text);
		return -EINVAL;
	}
	int err = strcmp(data, "/dev/null") ? check_directory(data, "the data file") : 0;
	free(data);
	if (!err && o->massif.file) {
		char *massif = filename_expand_nth(o->massif.file, getpid(), 1, &e);

		err = massif ? check_directory(massif, "the massif file") : -EINVAL;
		if (!massif)
			say("%s", e.text);
		free(massif);
	}
	if (!err && o->output)
		err = check_file(o->output, "the report");
	if (!err && o->mma.log_file)
		err = check_file(o->mma.log_file, "the log");
	if (!err && o->mma.stats_file)
		err = check_file(o->mma.stats_file, "the statistics");
	return err;
}

/* ---- afterwards ---- */

static int add_timeline(const struct image *i, struct profile_data *d)
{
	const struct timeline *t = timeline_find(i->recorders);
	int err = t ? timeline_points(t, &d->points, &d->n_points) : 0;
	const struct pd_point *peak = profile_data_peak(d);

	/* An event that one of them had no memory for is missing. */
	if (!err && d->n_points && (peak ? peak->live_bytes : 0) != d->totals.peak_bytes) {
		say("process %d: the timeline is left out, for events are missing in it", (int)i->pid);
		d->n_points = 0;
	}
	return err;
}

static struct profile_data *name_image(const struct session *s, const struct options *o,
				       const struct image *i)
{
	struct resolve_how how = { .search = names_search(o), .jit_map = names_open_jit_map(i->pid) };
	size_t n = s->shared.files.n;
	struct resolve_module *modules = calloc(n + 1, sizeof *modules);
	struct profile_data *d = profile_data_new();
	int err = modules && d ? 0 : -ENOMEM;

	for (size_t m = 0; !err && m < n; m++)
		modules[m] = (struct resolve_module){ s->shared.files.files[m].path,
						      s->shared.files.files[m].fd };
	if (!err)
		err = resolve_profile_by(&how, i->profile, modules, n, i->program, d);
	if (how.jit_map >= 0)
		close(how.jit_map);
	free(modules);
	if (err) {
		profile_data_free(d);
		return NULL;
	}
	d->pid = (uint32_t)i->pid;
	d->started_ns = i->started_ns;
	d->ended_ns = i->ended_ns;
	d->min_size = o->min_size;
	d->max_size = o->max_size;
	if (add_timeline(i, d)) {
		profile_data_free(d);
		return NULL;
	}
	return d;
}

/* The image's arguments go into the data as they are; they stay the image's. */
static int copy_command(struct profile_data *d, char *const *command)
{
	char **copy = texts_copy(command);

	if (!copy)
		return -ENOMEM;
	texts_free(d->command);
	d->command = copy;
	return 0;
}

/* mprof.data; of a child mprof.data.PID; of a process that has exec'ed, what was before it
 * mprof.data.PID.N. */
static char *data_name(const struct session *s, const struct options *o, const struct image *i,
		       struct error *e)
{
	if (i->data)
		return strdup(i->data);
	char *base = filename_expand(o->data, i->pid, e), *name = NULL;
	bool tell_pid = (i->pid != s->root || i->over) && !filename_has_pid(o->data);
	int n = -1;

	if (!base)
		return NULL;
	/* What is not wanted is not wanted of any process. */
	if (!strcmp(base, "/dev/null"))
		return base;
	if (tell_pid && i->over)
		n = asprintf(&name, "%s.%d.%u", base, (int)i->pid, i->number + 1);
	else if (tell_pid)
		n = asprintf(&name, "%s.%d", base, (int)i->pid);
	else if (i->over)
		n = asprintf(&name, "%s.%u", base, i->number + 1);
	else
		return base;
	free(base);
	if (n >= 0)
		return name;
	error_set(e, -ENOMEM, "out of memory");
	return NULL;
}

static void say_counts(const struct image *i, const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;

	say("%s (process %" PRIu32 "): %" PRIu64 " allocations of %" PRIu64 " bytes, %" PRIu64
	    " frees; at most %" PRIu64 " bytes at a time, %" PRIu64 " kept",
	    d->command[0] ? d->command[0] : "?", d->pid, t->allocs, t->alloc_bytes, t->frees,
	    t->peak_bytes, t->alloc_bytes - t->free_bytes);
	names_say_peak(d);
	say("%" PRIu64 " truncated chains, %" PRIu64 " frees of unknown blocks, %" PRIu64
	    " failed requests, %" PRIu64 " events lost",
	    t->truncated_chains, t->unknown_frees, t->failed_allocs, i->counts.lost);
	if (i->counts.unwanted + i->sieve.requests + i->sieve.frees)
		say("%" PRIu64 " requests of other sizes, and %" PRIu64 " frees of blocks that are not recorded, were "
		    "seen and left out", i->counts.unwanted + i->sieve.requests, i->sieve.frees);
	if (i->counts.doubtful)
		say("%" PRIu64 " calls may have been made by a request of another size, which was not waited for, and "
		    "count as the program's: what called them does not describe its frames", i->counts.doubtful);
	if (i->counts.taken)
		say("in %u functions that were to be trapped a breakpoint stood already: if the kernel serves it (a "
		    "uprobe of perf or bpftrace), their calls have not been seen", i->counts.taken);
	if (!i->counts.trapped)
		say("nothing was trapped in it: no allocator was found where it was looked for; mprof probes tells "
		    "what would be, and --malloc-lib and --hook change that");
}

static void say_stats(const struct session *s, const struct image *i, const struct profile_data *d)
{
	const struct watch_counts *c = &i->counts;

	say("%" PRIu64 " stops in all, %" PRIu64 " traps hit, %" PRIu64 " single steps, %" PRIu64
	    " traps written", tracer_stops(s->tracer), c->traps, c->steps, c->planted);
	say("of the traps: %" PRIu64 " in calls the allocator made itself, %" PRIu64
	    " behind calls that were none of its, %" PRIu64 " frees of no block", c->nested, c->strays,
	    c->null_frees);
	struct follow_counts f = tracer_follow_counts(s->tracer);

	say("followed a task to its processor %" PRIu64 " times, and gave up %" PRIu64
	    " times because others wanted it", f.begun, f.given_up);
	if (!s->launched)
		say("attaching stopped the process for %.1f ms", (double)tracer_attach_ns(s->tracer) / 1e6);
	say("unwinding: %" PRIu64 " steps remembered, %" PRIu64 " made; %" PRIu64
	    " chains checked, %" PRIu64 " wrong", c->unwind_known, c->unwind_made, c->unwind_checked,
	    c->unwind_wrong);
	say("memory: %" PRIu64 " bytes for places, %" PRIu64 " for counters and live blocks, %" PRIu64
	    " for the call tree", d->memory.functions, d->memory.counters, d->memory.links);
}

static int write_image(const struct session *s, const struct options *o, const struct image *i,
		       FILE *report)
{
	progress_begin("naming what was seen");
	struct profile_data *d = name_image(s, o, i);
	progress_end();
	struct error e = { "out of memory" };
	int err = d ? copy_command(d, i->command) : -ENOMEM;
	char *path = err ? NULL : data_name(s, o, i, &e);

	if (err || !path) {
		say("process %d: cannot write its profile: %s", (int)i->pid, e.text);
		profile_data_free(d);
		return err ? err : -EINVAL;
	}
	say_counts(i, d);
	names_say_chains(d);
	names_say_sizes(d);
	names_say(d);
	if (o->stats)
		say_stats(s, i, d);
	progress_begin("writing the data file");
	err = datafile_write(path, d, &e);
	progress_end();
	if (err)
		say("%s", e.text);
	else if (strcmp(path, "/dev/null"))
		say("the profile is in %s", path);
	if (report) {
		/* To the terminal itself it shows by itself how far it is. */
		if (report != stderr)
			progress_begin("writing the report");
		int print_err = print_profile(d, o, report);
		progress_end();

		if (print_err < 0)
			stream_failed(o, print_err);
		err = err || !print_err ? err : -EIO;
	}
	free(path);
	profile_data_free(d);
	return err;
}

/* With more than one report in a stream, each begins with a line that tells whose it is. */
static void head_line(const struct session *s, const struct options *o, const struct image *i,
		      FILE *out)
{
	if (o->format != FORMAT_TABLES || !s->images->next || !out)
		return;
	fprintf(out, "mprof: process %d", (int)i->pid);
	if (i->over)
		fprintf(out, ", program %u of it", i->number + 1);
	for (char **a = i->command; a && *a; a++) {
		struct error safe;

		error_set(&safe, 0, "%s", *a);
		fprintf(out, " %s", safe.text);
	}
	fputs("\n\n", out);
}

int output_open(const char *path, bool foreign)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (foreign ? O_NOFOLLOW : 0), 0666);
}

static FILE *open_report(const struct options *o, pid_t pid, bool foreign)
{
	struct error e;
	char *path = filename_expand(o->output, pid, &e);
	int fd = path ? output_open(path, foreign) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!path)
		say("%s", e.text);
	else if (!f)
		say("cannot write the report %s: %s", path, strerror(errno));
	free(path);
	return f;
}

int output_session(const struct session *s, const struct options *o)
{
	FILE *report = o->output ? open_report(o, s->root, s->foreign) : o->to_stdout ? stdout : stderr;
	int err = report ? 0 : -EIO;

	for (const struct image *i = s->images; i; i = i->next) {
		head_line(s, o, i, report);
		int e = write_image(s, o, i, report);

		err = err ? err : e;
		if (!s->massif || i->massif_written)
			continue;
		e = massif_image_write(s, i, i->over);
		err = err ? err : e;
	}
	say_own_heaps(&s->shared.files);
	bool told = report && ferror(report); /* by whoever printed */
	int lost = report && report != stderr ? stream_close(report) : 0;
	if (lost && !told)
		stream_failed(o, lost);
	err = err ? err : lost;
	return err;
}

/* ---- while it goes on ---- */

__attribute__((format(printf, 2, 3))) static void tell(int fd, const char *fmt, ...)
{
	char text[8300];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (fd >= 0 && n > 0)
		send(fd, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1, MSG_NOSIGNAL);
}

int output_save(const struct session *s, const struct options *o, const struct image *i,
		const char *path, int answer_fd)
{
	struct error e = { "out of memory" };
	struct profile_data *d = name_image(s, o, i);
	char *name = path ? strdup(path) : data_name(s, o, i, &e);
	int err = d && name ? copy_command(d, i->command) : -ENOMEM;

	if (!err)
		err = datafile_write(name, d, &e);
	if (err && answer_fd < 0)
		say("%s", e.text);
	char *dir = err || name[0] == '/' ? NULL : getcwd(NULL, 0);
	if (err)
		tell(answer_fd, "error %s\n", e.text);
	else
		tell(answer_fd, "ok\ndata %s%s%s\n", dir ? dir : "", dir ? "/" : "", name);
	free(dir);
	free(name);
	profile_data_free(d);
	return err;
}

static void add_name(FILE *out, const char *name)
{
	char *dir = name[0] == '/' ? NULL : getcwd(NULL, 0);

	fprintf(out, "data %s%s%s\n", dir ? dir : "", dir ? "/" : "", name);
	free(dir);
}

char *output_data_names(const struct session *s, const struct options *o)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (const struct image *i = s->images; out && i; i = i->next) {
		struct error e;
		char *name = data_name(s, o, i, &e);

		if (name)
			add_name(out, name);
		free(name);
	}
	if (out)
		fclose(out);
	return text;
}
