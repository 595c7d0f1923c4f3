/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof detach: ends a session, prints its report and tells what became of it. */
#include "base/array.h"
#include "base/text.h"
#include "cli/asking.h"
#include "cli/cli.h"
#include "cli/fn_names.h"
#include "cli/gating.h"
#include "cli/meant.h"
#include "cli/apart.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/rename.h"
#include "cli/results.h"
#include "cli/stream.h"
#include "outputs/check.h"
#include "outputs/data.h"
#include "outputs/pages.h"
#include "outputs/unseen.h"
#include "profile/datafile.h"

#include <stdlib.h>
#include <string.h>

/* Detaching takes no time, but the answer comes when the profile is written. */
enum { DETACH_SECONDS = 600 };

/* Ask for text, for mprof detach. 0, and @a must be released; or a status: a sentence has been
 * printed. */
static int ask(pid_t pid, const char *words, struct control_answer *a, unsigned seconds)
{
	struct error e;
	int err = control_ask(pid, CONTROL_TEXT, words, seconds, a, &e);

	if (err) {
		asking_explain("detach", pid, err, &e);
		say("%s", e.text);
		return asking_status(err);
	}
	int status = asking_say_errors(pid, a, CONTROL_TEXT);

	if (status)
		control_answer_release(a);
	return status;
}

static void say_no_session(void)
{
	struct error last;
	pid_t pid = 0;

	if (control_last_word(&pid, &last))
		say("there is no session; the last one, of process %d, %s", (int)pid, last.text);
	else
		say("there is no session");
}

/* The only session, if there is exactly one. */
static bool only_session(pid_t *pid, int *status)
{
	pid_t *pids;
	struct error e;
	ssize_t n = control_sessions(&pids, &e);

	if (n == 1)
		*pid = pids[0];
	else if (n < 0)
		say("%s", e.text);
	else if (n == 0)
		say_no_session();
	else
		say("there are %zd sessions: say which process (mprof status lists them)", n);
	*status = n == 0 ? STATUS_NO_SESSION : n == 1 ? 0 : STATUS_FAILED;
	free(pids);
	return n == 1;
}

/* NULL: a sentence has been printed. */
static struct profile_data *read_data(const char *path, const struct options *o)
{
	struct profile_data *d;
	struct error e;

	if (datafile_read(path, &d, &e)) {
		say("%s", e.text);
		return NULL;
	}
	if (!rename_profile(&d, o))
		return d;
	profile_data_free(d);
	return NULL;
}

static int print_data(const char *path, const struct options *o, FILE *out)
{
	struct profile_data *d = read_data(path, o);

	if (!d)
		return STATUS_FAILED;
	unseen_say_notes(say_sentence, d, o->quiet);
	int err = print_profile(d, o, false, out);
	profile_data_free(d);
	if (err < 0)
		stream_failed(o, err);
	return err ? STATUS_FAILED : 0;
}

/* A profile named in the answer, and the process that it is of. */
struct told {
	struct section section;
	const char *path;
	bool saved;	/* in a file; otherwise it can be read while the answer is held, or as long
			   as the session keeps it */
};

/* A session's answer to detach. */
struct detached {
	struct told *profiles;
	size_t n, cap;
	struct section section;	/* of the next profile */
	bool kept, again;	/* the session stays with unsaved files; and had stayed before */
	char unsaved[600];	/* names of these files, as part of a sentence */
	bool others;		/* some of them are not profiles */
	bool failed;
};

static void take_profile(struct detached *d, const char *path, bool saved)
{
	if (ARRAY_RESERVE(&d->profiles, &d->cap, d->n)) {
		say("the report of %s is left out: out of memory", path);
		d->failed = true;
		return;
	}
	d->profiles[d->n++] = (struct told){ d->section, path, saved };
}

/* Append "the profile /a/f.data, the massif file /a/m"; of many files the first ones. */
static void take_unsaved(struct detached *d, const char *what)
{
	size_t len = strlen(d->unsaved);

	d->others |= !text_begins(what, "profile ");
	if (len + strlen(what) + sizeof ", the " + sizeof ", and others" <= sizeof d->unsaved)
		snprintf(d->unsaved + len, sizeof d->unsaved - len, "%sthe %s", len ? ", " : "",
			 what);
	else if (!strstr(d->unsaved, ", and others"))
		snprintf(d->unsaved + len, sizeof d->unsaved - len, "%s",
			 len ? ", and others" : "what could not be written");
}

static void take_line(struct detached *d, const char *line)
{
	const char *rest;

	if (text_begins(line, CONTROL_PROCESS)) {
		section_read(&d->section, line);
	} else if ((rest = text_after(line, CONTROL_DATA))) {
		take_profile(d, rest, true);
	} else if ((rest = text_after(line, CONTROL_MEMORY))) {
		take_profile(d, rest, false);
	} else if ((rest = text_after(line, CONTROL_SAID))) {
		say("%s", rest);
	} else if ((rest = text_after(line, CONTROL_FAILED))) {
		say("%s", rest);
		d->failed = true;
	} else if ((rest = text_after(line, CONTROL_UNSAVED))) {
		take_unsaved(d, rest);
	} else if (text_begins(line, CONTROL_KEPT)) {
		d->kept = true;
		d->again = text_begins(line, CONTROL_KEPT_AGAIN);
	}
}

/* Print the list of reports, if each of several has a section. Returns whether it did. */
static bool print_list(const struct detached *d, const struct options *o, FILE *out)
{
	struct section *list = calloc(d->n + 1, sizeof *list);
	bool several = list && d->n > 1 && o->format == FORMAT_TABLES;

	for (size_t i = 0; several && i < d->n; i++)
		list[i] = d->profiles[i].section;
	if (several)
		sections_print_list(list, d->n, out);
	free(list);
	return several;
}

/* Before the reports: if their reader closes the pipe, SIGPIPE ends us. */
static void say_where(const struct detached *d, const struct options *o)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->profiles[i].saved && !o->quiet)
			say("the profile is in %s", d->profiles[i].path);
}

static int print_sections(const struct detached *d, const struct options *o, FILE *out)
{
	bool several = print_list(d, o, out);
	int status = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct told *t = &d->profiles[i];

		if (several)
			section_print_head(&t->section, out);
		int one = print_data(t->path, o, out);

		status = status ? status : one;
	}
	return status;
}

/* Print the profiles that can be read as one page. @path: NULL: standard output. */
static int print_page(const struct told *profiles, size_t n, const struct options *o,
		      const char *path)
{
	struct page_parts *page = NULL;
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		struct profile_data *p = pages_viewed(o, read_data(profiles[i].path, o));
		struct error e;
		int err = p ? pages_add(&page, p, &o->report, &e) : -EINVAL;

		if (p && err)
			say("%s is not in the page: %s", profiles[i].path, e.text);
		profile_data_free(p);
		status = err ? STATUS_FAILED : status;
	}
	int printed = page ? pages_print_parts(path, &page, n) : STATUS_FAILED;

	return status ? status : printed;
}

/* Print the page of --html and say where it is. @path NULL: the reason is in @e. */
static int print_named_page(const struct told *profiles, size_t n, const struct options *o,
			    const char *path, const struct error *e)
{
	const bool older = path && output_replaces(path, UINT64_MAX);
	int status = path ? print_page(profiles, n, o, path) : STATUS_FAILED;

	if (!path)
		say("no page: %s", e->text);
	else if (!status && !o->quiet && strcmp(path, "/dev/null"))
		say("the page is %s%s", path, older ? OUTPUT_REPLACED : "");
	return status;
}

/* One page for all or, if the name has %p, one for each. */
static int print_pages(const struct detached *d, const struct options *o, pid_t pid)
{
	struct error e;
	int status = 0;

	if (!filename_has_pid(o->html)) {
		char *path = filename_expand(o->html, pid, &e);

		status = print_named_page(d->profiles, d->n, o, path, &e);
		free(path);
		return status;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct told *t = &d->profiles[i];
		const struct filename_whose whose = { .pid = t->section.pid,
						      .number = t->section.number };
		char *path = page_file_name(o->html, &whose, &e);
		int one = print_named_page(t, 1, o, path, &e);

		status = status ? status : one;
		free(path);
	}
	return status;
}

/* Print the report of each profile. */
static int print_reports(struct detached *d, const struct options *o)
{
	if (o->format == FORMAT_HTML) {
		int printed = print_page(d->profiles, d->n, o, o->output);

		fn_names_say_unmet(o);
		return printed;
	}
	FILE *out = stream_open(o);

	if (!out)
		return STATUS_FAILED;
	int status = print_sections(d, o, out);

	fn_names_say_unmet(o);
	bool told = status && ferror(out); /* reported where it was printed */
	int err = stream_close(out);

	if (err && !told)
		stream_failed(o, err);
	return err ? STATUS_FAILED : status;
}

static int judge_all(struct gate *g, const struct detached *d, const struct options *o)
{
	int status = 0;

	for (size_t i = 0; i < d->n; i++) {
		int one = gating_judge_file(g, d->profiles[i].path, o);

		status = status ? status : one;
	}
	return status;
}

/* Say what is kept in the session, and what can be done about it. */
static void say_kept(pid_t pid, const struct detached *d)
{
	say("process %d is free; not written, and only in the session's memory: %s; mprof detach "
	    "%d tries again%s, mprof control %d save FILE writes elsewhere, mprof control %d "
	    "discard gives up",
	    (int)pid, *d->unsaved ? d->unsaved : "its profile", (int)pid,
	    d->others ? "" : " (and with -o gives up what it cannot write then)", (int)pid,
	    (int)pid);
}

/*
 * The session keeps what it could not save. If it had said so before and the report is in a file
 * now, its profiles are discarded; other files are not, since no report replaces them.
 */
static void end_kept(pid_t pid, const struct detached *d, const struct options *o, int status)
{
	struct control_answer a;

	if (!d->again || !o->output || status || d->others ||
	    ask(pid, "discard", &a, CONTROL_ANSWER_SECONDS)) {
		say_kept(pid, d);
		return;
	}
	control_answer_release(&a);
	say("the report is in %s; the profile of process %d itself has been given up", o->output,
	    (int)pid);
}

/* True unless the report would destroy a file of the session. False: a sentence has been
 * printed. */
static bool is_spared(pid_t pid, const char *option, const char *output)
{
	char *file = data_absolute(strdup(output));
	bool spared = !file || !control_writes(pid, file);

	if (!spared)
		say("%s %s would write over a file of the session of process %d: give it another "
		    "name",
		    option, output, (int)pid);
	free(file);
	return spared;
}

/* If each of several processes has a page of its own, the name for the first is checked. */
static int check_html(const char *html, pid_t pid)
{
	struct error e;
	char *path = filename_expand(html, pid, &e);
	int status = !path || pages_check_path(path)	? STATUS_FAILED
		     : !is_spared(pid, "--html", path) ? STATUS_USAGE
							: 0;

	if (!path)
		say("%s", e.text);
	free(path);
	return status;
}

/* Do not end the session if the report cannot be written. 0 or a status. */
static int check_outputs(const struct options *o, pid_t pid)
{
	if (!printed_apart(o, pid) || !output_spares(o, NULL, 0))
		return STATUS_USAGE;
	if ((o->html || o->format == FORMAT_HTML) && !pages_possible())
		return STATUS_FAILED;
	bool page = o->format == FORMAT_HTML;
	if (o->output && !page && output_check_file(o->output, "the report", say_sentence))
		return STATUS_FAILED;
	if (page && o->output && pages_check_path(o->output))
		return STATUS_FAILED;
	if (o->output && !is_spared(pid, "-o", o->output))
		return STATUS_USAGE;
	return o->html ? check_html(o->html, pid) : 0;
}

int command_detach(int argc, char **argv)
{
	struct options o;
	pid_t pid;
	int first = options_parse(&o, "detach", argc, argv, 2), status = 0;

	if (first < 0 || !pprof_check_use(&o))
		return STATUS_USAGE;
	status = meant_session(&o, argv + first, (size_t)(argc - first), &pid);
	if (status || (!pid && !only_session(&pid, &status)))
		return status;
	status = check_outputs(&o, pid);
	struct gate gate = { 0 };
	if (!status)
		status = gating_begin(&gate, &o);
	struct control_answer a;
	if (!status)
		status = ask(pid, "detach", &a, DETACH_SECONDS);
	if (status) {
		gating_release(&gate);
		return status;
	}
	struct detached d = { 0 };
	for (char *line = strtok(a.reply.parts[0].text, "\n"); line; line = strtok(NULL, "\n"))
		take_line(&d, line);
	say_where(&d, &o);
	status = print_reports(&d, &o);
	int gated = judge_all(&gate, &d, &o);
	status = status ? status : gated;
	int paged = o.html && d.n ? print_pages(&d, &o, pid) : 0;

	status = status ? status : paged;
	free(d.profiles);
	control_answer_release(&a);
	if (d.kept)
		end_kept(pid, &d, &o, status);
	status = status ? status : d.failed || d.kept ? STATUS_FAILED : 0;
	status = gating_status(&gate, &o, status);
	gating_release(&gate);
	return status;
}
