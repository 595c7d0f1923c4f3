/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/output.h"

#include "base/array.h"
#include "base/texts.h"
#include "cli/fn_names.h"
#include "session/filename.h"
#include "cli/heapfiles.h"
#include "cli/massif.h"
#include "cli/massif_report.h"
#include "cli/names.h"
#include "cli/own_heaps.h"
#include "cli/progress.h"
#include "cli/sections.h"
#include "cli/stream.h"
#include "cli/unseen.h"
#include "cli/unwritten.h"
#include "profile/datafile.h"
#include "naming/jit_map.h"
#include "naming/resolve.h"
#include "session/unseen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int print_profile(struct profile_data *d, const struct options *o, FILE *out)
{
	fn_names_meet(o, d);
	int err = view_apply(&o->view, d);

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

/* Whether heap profiles can be written shows when they are due; the program runs on if they
 * cannot. */
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

static int add_recorded(const struct image *i, struct profile_data *d)
{
	int err = recorders_report(i->recorders, d);
	const struct pd_point *peak = profile_data_peak(d);

	/* An event that one of them had no memory for is missing. */
	if (!err && d->n_points && (peak ? peak->live_bytes : 0) != d->totals.peak_bytes) {
		say("process %d: the timeline is left out, for events are missing in "
		    "it", (int)i->pid);
		d->n_points = 0;
	}
	return err;
}

static struct profile_data *name_image(const struct session *s, const struct options *o,
				       const struct image *i)
{
	struct resolve_how how = { .search = names_search(o), .jit_map = jit_map_open(i->pid) };
	size_t n = s->observer->files->n;
	struct resolve_module *modules = calloc(n + 1, sizeof *modules);
	struct profile_data *d = profile_data_new();
	int err = modules && d ? 0 : -ENOMEM;

	for (size_t m = 0; !err && m < n; m++)
		modules[m] = (struct resolve_module){ s->observer->files->files[m].path,
						      s->observer->files->files[m].fd };
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
	d->unseen = unseen_now(i);
	if (add_recorded(i, d)) {
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
static struct filename_whose whose(const struct session *s, const struct image *i)
{
	return (struct filename_whose){ .pid = i->pid,
					.further = i->pid != s->root || i->over,
					.before_pid = '.',
					.number = i->over ? i->number + 1 : 0 };
}

static char *data_name(const struct session *s, const struct options *o, const struct image *i,
		       struct error *e)
{
	struct filename_whose w = whose(s, i);

	return i->data ? strdup(i->data) : filename_of(o->data, &w, e);
}

static void say_counts(const struct image *i, const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;
	char name[TITLE_MAX];

	session_name(i, name);
	say("%s (process %" PRIu32 "): %" PRIu64 " allocations of %" PRIu64 " bytes, %" PRIu64
	    " frees; at most %" PRIu64 " bytes at a time, %" PRIu64 " kept",
	    name, d->pid, t->allocs, t->alloc_bytes, t->frees,
	    t->peak_bytes, t->alloc_bytes - t->free_bytes);
	names_say_peak(d);
	say("%" PRIu64 " truncated chains, %" PRIu64 " frees of unknown blocks, %" PRIu64
	    " failed requests, %" PRIu64 " events lost",
	    t->truncated_chains, t->unknown_frees, t->failed_allocs, d->unseen.lost);
	unseen_say(d, NULL);
}

static void say_stats(const struct session *s, const struct image *i, const struct profile_data *d)
{
	const struct observed_counts *c = &i->counts;
	struct observer_effort e = s->observer->ops->effort(s->observer);

	say("%" PRIu64 " stops in all, %" PRIu64 " traps hit, %" PRIu64 " single steps, %" PRIu64
	    " traps written", e.stops, c->traps, c->steps, c->planted);
	say("of the traps: %" PRIu64 " in calls the allocator made itself, %" PRIu64
	    " behind calls that were none of its, %" PRIu64 " frees of no block", c->nested,
		    c->spurious_hits,
	    c->null_frees);
	say("followed a task to its processor %" PRIu64 " times, and gave up %" PRIu64
	    " times because others wanted it", e.followed, e.given_up);
	if (!s->launched)
		say("attaching stopped the process for %.1f ms", (double)e.attach_ns / 1e6);
	say("unwinding: %" PRIu64 " steps remembered, %" PRIu64 " made; %" PRIu64
	    " chains checked, %" PRIu64 " wrong", c->unwind_known, c->unwind_made,
		    c->unwind_checked,
	    c->unwind_wrong);
	say("memory: %" PRIu64 " bytes for places, %" PRIu64
	    " for counters and live blocks, %" PRIu64 " for the call tree",
	    d->memory.functions, d->memory.counters, d->memory.links);
}

static int save_image(const struct session *s, const struct options *o, struct image *i,
		      const struct profile_data *d)
{
	struct error e = { "out of memory" };
	char *path = data_name(s, o, i, &e);
	int err = -EINVAL;

	progress_begin("writing the data file");
	if (path)
		err = datafile_write(path, d, &e);
	progress_end();
	if (!path)
		unwritten_say("process %d: cannot write its profile: %s", (int)i->pid, e.text);
	else if (err)
		unwritten_say("%s", e.text);
	else if (strcmp(path, "/dev/null"))
		say("the profile is in %s", path);
	i->saved = !err;
	free(path);
	return err;
}

static int print_image(struct profile_data *d, const struct options *o, FILE *report)
{
	/* To the terminal itself it shows by itself how far it is. */
	if (report != stderr)
		progress_begin("writing the report");
	int err = print_profile(d, o, report);
	progress_end();
	if (err < 0)
		stream_failed(o, err);
	return err ? -EIO : 0;
}

/* What has been saved is not saved again. @report: NULL if none is to be printed. */
static int write_image(struct session *s, const struct options *o, struct image *i, FILE *report)
{
	progress_begin("naming what was seen");
	struct profile_data *d = name_image(s, o, i);
	progress_end();
	int err = d ? copy_command(d, i->command) : -ENOMEM;

	if (err) {
		unwritten_say("process %d: cannot write its profile: out of memory", (int)i->pid);
		profile_data_free(d);
		return err;
	}
	say_counts(i, d);
	names_say_chains(d);
	names_say_sizes(d);
	names_say(d);
	if (o->stats)
		say_stats(s, i, d);
	err = i->saved ? 0 : save_image(s, o, i, d);
	int printed = report ? print_image(d, o, report) : 0;
	s->reported = s->reported && !printed;
	profile_data_free(d);
	return err ? err : printed;
}

static struct section section_of(const struct image *i)
{
	const struct pd_totals *t = &i->profile->totals;
	struct section s = {
		.pid = i->pid,
		.number = i->over ? i->number + 1 : 0,
		.allocs = t->allocs,
		.bytes = t->alloc_bytes,
		.kept_bytes = t->alloc_bytes - t->free_bytes,
	};

	strcpy(s.title, *i->title ? i->title : "?");
	return s;
}

/* With more than one report in a stream, each begins with a line that tells whose it is. */
static bool has_sections(const struct session *s, const struct options *o)
{
	return o->format == FORMAT_TABLES && s->images && s->images->next;
}

static int list_sections(const struct session *s, FILE *out)
{
	struct section *list = NULL;
	size_t n = 0, cap = 0;

	for (const struct image *i = s->images; i; i = i->next) {
		if (ARRAY_RESERVE(&list, &cap, n)) {
			free(list);
			return -ENOMEM;
		}
		list[n++] = section_of(i);
	}
	sections_print_list(list, n, out);
	free(list);
	return 0;
}

int output_open(const char *path, bool foreign)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (foreign ? O_NOFOLLOW : 0),
		    0666);
}

static FILE *open_report(const struct options *o, pid_t pid, bool foreign)
{
	struct error e;
	char *path = filename_expand(o->output, pid, &e);
	int fd = path ? output_open(path, foreign) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!path)
		unwritten_say("%s", e.text);
	else if (!f)
		unwritten_say("cannot write the report %s: %s", path, strerror(errno));
	free(path);
	return f;
}

static int write_massif(const struct session *s, struct image *i)
{
	if (!s->massif || i->massif_written)
		return 0;
	int err = massif_image_write(s, i, i->over);

	i->massif_written = !err;
	return err;
}

static int close_report(struct session *s, const struct options *o, FILE *report)
{
	bool told = ferror(report); /* by whoever printed */
	int lost = report == stderr ? 0 : stream_close(report);

	if (lost && !told)
		stream_failed(o, lost);
	s->reported = s->reported && !lost;
	return lost;
}

int output_session(struct session *s, const struct options *o)
{
	FILE *report = s->reported ? NULL :
		       o->output   ? open_report(o, s->root, s->foreign) :
		       o->to_stdout ? stdout : stderr;
	int err = report || s->reported ? 0 : -EIO;

	s->reported = !err;
	if (report && has_sections(s, o))
		err = list_sections(s, report);
	for (struct image *i = s->images; i; i = i->next) {
		struct section section = section_of(i);

		if (report && has_sections(s, o))
			section_print_head(&section, report);
		int e = i->saved && !report ? 0 : write_image(s, o, i, report);

		err = err ? err : e;
		e = write_massif(s, i);
		err = err ? err : e;
	}
	if (report)
		say_own_heaps(s->observer->files);
	int lost = report ? close_report(s, o, report) : 0;
	if (report)
		fn_names_say_unmet(o);
	return err ? err : lost;
}

bool output_unsaved(const struct session *s)
{
	for (const struct image *i = s->images; i; i = i->next)
		if (!i->saved || (s->massif && !i->massif_written))
			return true;
	return false;
}

static int save_elsewhere(struct session *s, const struct options *o, struct image *i,
			  const char *path)
{
	struct error e = { "out of memory" };
	struct filename_whose w = whose(s, i);
	char *name = filename_derived(path, &w, &e);

	free(i->data);
	i->data = name;
	struct profile_data *d = name ? name_image(s, o, i) : NULL;
	int err = d ? copy_command(d, i->command) : -ENOMEM;

	if (err)
		unwritten_say("process %d: cannot write its profile: %s", (int)i->pid, e.text);
	else
		err = save_image(s, o, i, d);
	profile_data_free(d);
	return err;
}

int output_save_elsewhere(struct session *s, const struct options *o, const char *path)
{
	int err = 0;

	for (struct image *i = s->images; i; i = i->next) {
		int e = i->saved ? 0 : save_elsewhere(s, o, i, path);

		err = err ? err : e;
	}
	return err;
}

/* ---- while it goes on ---- */

/* With the directory, for nobody knows from where it will be asked for. */
static char *absolute(char *name)
{
	char *dir = name && name[0] != '/' ? getcwd(NULL, 0) : NULL, *path = NULL;

	if (!dir || asprintf(&path, "%s/%s", dir, name) < 0)
		path = NULL;
	free(dir);
	if (!path)
		return name;
	free(name);
	return path;
}

int output_save(const struct session *s, const struct options *o, const struct image *i,
		const char *path, const struct control_asker *to)
{
	struct error e = { "out of memory" };
	struct profile_data *d = name_image(s, o, i);
	char *name = path ? strdup(path) : data_name(s, o, i, &e);
	int err = d && name ? copy_command(d, i->command) : -ENOMEM;
	struct answer a;

	if (!err)
		err = datafile_write(name, d, &e);
	if (err && !to)
		say("%s", e.text);
	if (err && to)
		answer_error_part(to, e.text);
	if (!err && to) {
		name = absolute(name);
		answer_begin(&a, to);
		answer_file(&a, CONTROL_DATA, name);
		answer_send_part(&a);
	}
	free(name);
	profile_data_free(d);
	return err;
}

/* A file that is nowhere: no disk is needed to print a report from it. */
static int write_to_memory(const struct session *s, const struct options *o, const struct image *i)
{
	struct profile_data *d = name_image(s, o, i);
	int fd = d && !copy_command(d, i->command) ? memfd_create("mprof.data", MFD_CLOEXEC) : -1;
	struct error e;

	if (fd >= 0 && datafile_write_fd(fd, d, &e)) {
		say("%s", e.text);
		close(fd);
		fd = -1;
	}
	profile_data_free(d);
	return fd > 0 ? fd : 0;
}

static void add_image(FILE *out, const struct session *s, const struct options *o, struct image *i,
		      enum results what)
{
	bool kept = what == RESULTS_KEPT;
	struct error e;
	struct section section = section_of(i);
	char *name = i->saved ? absolute(data_name(s, o, i, &e)) : NULL;

	section_write(&section, out);
	if (!i->saved && kept && !i->memory)
		i->memory = write_to_memory(s, o, i);
	if (name)
		fprintf(out, CONTROL_DATA "%s\n", name);
	else if (kept && i->memory)
		fprintf(out, CONTROL_MEMORY "/proc/%d/fd/%d\n", (int)getpid(), i->memory);
	free(name);
}

static void add_failures(FILE *out, const struct session *s)
{
	unwritten_print(CONTROL_FAILED, out);
	if (s->save_children.failed)
		fputs(CONTROL_FAILED
		      "not everything could be written that was due while the session went on\n",
		      out);
	if (session_failed(s))
		fputs(CONTROL_FAILED "not all heap profiles could be written\n", out);
}

char *output_results(const struct session *s, const struct options *o, const char *head,
		     enum results what)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs(head, out);
	for (struct image *i = s->images; i; i = i->next)
		add_image(out, s, o, i, what);
	add_failures(out, s);
	if (s->left_out_text)
		fprintf(out, CONTROL_SAID "%s\n", s->left_out_text);
	fclose(out);
	return text;
}

void output_answer_saved(const struct session *s, const struct options *o, struct answer *a)
{
	struct error e;

	for (const struct image *i = s->images; i; i = i->next) {
		char *name = i->saved ? absolute(data_name(s, o, i, &e)) : NULL;

		if (name)
			answer_file(a, CONTROL_DATA, name);
		free(name);
	}
	if (s->left_out_text)
		answer_said(a, s->left_out_text);
}

bool output_last_word(const struct session *s, const struct options *o, struct error *e)
{
	const struct image *i = s->images;
	char when[64] = "", more[64] = "";
	const char *why = unwritten_behind(0), *with = s->root_ended ? "with its process " : "";
	time_t now = time(NULL);
	struct error ignored;
	size_t others = 0;

	while (i && (i->over || i->pid != s->root))
		i = i->next;
	if (!i)
		i = s->images;
	if (!i)
		return false;
	for (const struct image *k = s->images; k; k = k->next)
		others += k != i;
	if (others)
		snprintf(more, sizeof more, ", and %zu more", others);
	strftime(when, sizeof when, "%F %T", localtime(&now));
	char *name = i->saved ? absolute(data_name(s, o, i, &ignored)) : NULL;
	if (name && !strcmp(name, "/dev/null"))
		error_set(e, 0, "ended %sat %s, and was to save no profile", with, when);
	else if (name)
		error_set(e, 0, "ended %sat %s, and the profile is in "
				"%s%s", with, when, name, more);
	else
		error_set(e, 0, "ended %sat %s, and its profile has not been saved: %s", with, when,
			  why ? why : "it was given up");
	free(name);
	return true;
}
