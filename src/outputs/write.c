/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/write.h"

#include "base/array.h"
#include "base/overwrite.h"
#include "base/stream.h"
#include "outputs/data.h"
#include "outputs/own_heaps.h"
#include "outputs/pages.h"
#include "outputs/tell.h"
#include "outputs/unseen.h"
#include "session/execs.h"
#include "session/filename.h"
#include "session/saving.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void report_failed(struct outputs *o, int err)
{
	unwritten_say(o, "cannot write %s: %s",
		      o->settings.report ? o->settings.report : "the report", strerror(-err));
}

static int print_image(struct outputs *o, const struct image *i, struct profile_data *d,
		       FILE *report)
{
	/* A report on the terminal shows its progress itself. */
	if (report != stderr)
		o->host->step("writing the report");
	int err = o->host->print(o->host_ctx, d, untold_is(o, i), report);
	o->host->step(NULL);
	if (err < 0)
		report_failed(o, err);
	return err ? -EIO : 0;
}

static void tell_all(const struct outputs *o, const struct image *i, const struct profile_data *d)
{
	say_fn *say = o->host->say;

	tell_counts(say, i, d);
	tell_chains(say, d);
	tell_sizes(say, d);
	tell_names(say, d, o->settings.names, o->host->lacking, o->host_ctx);
}

/* Print and save one profile, unless it is saved already. @report: NULL if none is to be printed.
 * @d is freed. */
static int write_image(struct outputs *o, struct image *i, struct profile_data *d, FILE *report)
{
	say_fn *say = o->host->say;

	if (!d) {
		unwritten_say(o, "process %d: cannot write its profile: out of memory",
			      (int)i->pid);
		return -ENOMEM;
	}
	if (o->settings.quiet)
		unseen_say_notes(say, d, true);
	else if (!untold_is(o, i) || !untold_add(o, i, d))
		tell_all(o, i, d);
	else
		tell_names(say_elsewhere, d, o->settings.names, o->host->lacking, o->host_ctx);
	if (o->settings.effort)
		tell_effort(say, i, d);
	int err = i->saved ? 0 : data_save(o, i, d);
	int printed = report ? print_image(o, i, d, report) : 0;
	/* Looking names up takes longest: the page uses the same profile. */
	if (report && !printed)
		page_of_image(o, i, d);
	o->reported = o->reported && !printed;
	profile_data_free(d);
	return err ? err : printed;
}

struct section output_section(const struct image *i)
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

/* If several reports go to one stream, each begins with a line that names the process. */
static bool has_sections(const struct outputs *o)
{
	const struct image *first = o->session->images;

	return o->settings.sections && first && first->next;
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
		list[n++] = output_section(i);
	}
	sections_print_list(list, n, out);
	free(list);
	return 0;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISFIFO(st.st_mode);
}

/* A pipe may be read late, or never: save the profiles before opening it. */
static void save_beforehand(struct outputs *o)
{
	for (struct image *i = o->session->images; i; i = i->next) {
		struct profile_data *d = i->saved ? NULL : data_name_image(o, i);

		if (d)
			data_save(o, i, d);
		profile_data_free(d);
	}
}

static FILE *open_report(struct outputs *o)
{
	const struct session *s = o->session;
	struct error e;
	char *path = filename_expand(o->settings.report, s->root, &e);

	if (is_pipe(path))
		save_beforehand(o);
	int fd = path ? output_open_for_reader(path, s->foreign) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!path)
		unwritten_say(o, "%s", e.text);
	else if (!f)
		unwritten_say(o, "cannot write the report %s: %s", path,
			      fd >= 0 ? strerror(errno) : overwrite_why(fd));
	free(path);
	return f;
}

static int close_report(struct outputs *o, FILE *report)
{
	bool told = ferror(report); /* reported where it was printed */
	int lost = report == stderr ? 0 : stream_close(report);

	if (lost && !told)
		report_failed(o, lost);
	o->reported = o->reported && !lost;
	return lost;
}

struct writing {
	struct outputs *o;
	FILE *report;
	int err;	/* the first one */
};

static void note(struct writing *w, int err)
{
	w->err = w->err ? w->err : err;
}

static void write_named(void *ctx, struct image *i, struct profile_data *d)
{
	struct writing *w = ctx;
	const struct section section = output_section(i);

	w->o->host->step(NULL);
	if (w->report && has_sections(w->o))
		section_print_head(&section, w->report);
	note(w, write_image(w->o, i, d, w->report));
	note(w, session_write_files(w->o->session, i));
	w->o->host->step("naming what was seen");
}

/* Images that are saved are named for a report only. */
static void write_images(struct writing *w)
{
	struct session *s = w->o->session;
	struct image **v = NULL;
	size_t n = 0, cap = 0;

	for (struct image *i = s->images; i; i = i->next)
		if (i->saved && !w->report)
			note(w, session_write_files(s, i));
		else if (!ARRAY_RESERVE(&v, &cap, n))
			v[n++] = i;
		else
			write_named(w, i, NULL);
	w->o->host->step("naming what was seen");
	if (n)
		data_name_images(w->o, v, n, write_named, w);
	w->o->host->step(NULL);
	free(v);
}

int output_session(struct outputs *o)
{
	struct session *s = o->session;
	const struct session_cost cost = session_cost(s); /* before the time to look up names is
							     added */
	FILE *report = o->reported	  ? NULL :
		       o->settings.report ? open_report(o) : o->settings.report_to;
	struct writing w = { o, report, report || o->reported ? 0 : -EIO };

	o->reported = !w.err;
	if (report && has_sections(o))
		w.err = list_sections(s, report);
	if (w.err && report)
		report_failed(o, w.err);
	write_images(&w);
	untold_say(o);
	if (o->settings.effort)
		tell_session_effort(o->host->say, s, &cost);
	int lost = report ? close_report(o, report) : 0;
	if (report) {
		/* Reading the files forks, which flushes open streams: the report is closed
		 * before. */
		tell_own_heaps(o->host->say, s->observer->files, o->environments.python_is_off);
		o->host->printed(o->host_ctx);
	}
	return w.err ? w.err : lost;
}

void output_leave_out(struct outputs *o)
{
	session_leave_out(o->session);
	o->left_out_text = tell_left_out(o->session->left_out);
	if (o->left_out_text)
		say_to(o->host->say, "%s", o->left_out_text);
	else if (o->session->left_out)
		say_to(o->host->say, "programs that executed another one in their place are left "
				     "out; --keep-execs keeps them");
	struct error e;
	if (tell_unfollowed(o->session, &e))
		say_to(o->host->say, "%s", e.text);
}

bool output_unsaved(const struct session *s)
{
	for (const struct image *i = s->images; i; i = i->next)
		if (!i->saved || session_has_unwritten(s, i))
			return true;
	return false;
}
