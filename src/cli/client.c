/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands that talk to a session: detach, control. */
#include "base/array.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/fn_names.h"
#include "cli/meant.h"
#include "cli/nearest.h"
#include "control/control.h"
#include "cli/options.h"
#include "cli/rename.h"
#include "cli/results.h"
#include "cli/stream.h"
#include "outputs/check.h"
#include "outputs/unseen.h"
#include "profile/datafile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A detach frees the process at once, but is answered when the profile is written. */
enum { DETACH_SECONDS = 600 };

static int status_of(int err)
{
	return err == -ENOENT || err == -ECONNRESET ? STATUS_NO_SESSION : STATUS_FAILED;
}

/* What can be told of a failure is a sentence, whatever the form. For free(). */
static char *sentence_of(const struct control_part *p, enum control_form form)
{
	json_t *o = form == CONTROL_JSON ? json_loads(p->text, 0, NULL) : NULL;
	const char *error = o ? json_string_value(json_object_get(o, "error")) : p->text;
	char *sentence = strdup(error ? error : "it failed, and has not said why");

	json_decref(o);
	return sentence;
}

/* Say it, if a part of the answer is that it failed. 0 or a status. */
static int say_errors(pid_t pid, const struct control_answer *a, enum control_form form)
{
	int status = 0;

	for (size_t i = 0; i < a->reply.n; i++) {
		const struct control_part *p = &a->reply.parts[i];

		if (p->ok)
			continue;
		char *sentence = sentence_of(p, form);

		say("process %d: %s", (int)pid, sentence ? sentence : "out of memory");
		free(sentence);
		status = STATUS_FAILED;
	}
	return status;
}

/* Where there is no session: it may be traced in that of another process. */
static void explain(const char *command, pid_t pid, int err, struct error *e)
{
	pid_t by = err == -ENOENT ? control_tracing(pid) : 0;

	if (by)
		meant_traced(e, command, pid, by);
}

/* Have text answered, for mprof detach. 0, and @a is to be released; or a status: a sentence has
 * been printed. */
static int ask(pid_t pid, const char *words, struct control_answer *a, unsigned seconds)
{
	struct error e;
	int err = control_ask(pid, CONTROL_TEXT, words, seconds, a, &e);

	if (err) {
		explain("detach", pid, err, &e);
		say("%s", e.text);
		return status_of(err);
	}
	int status = say_errors(pid, a, CONTROL_TEXT);

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

/* The one session there is, if there is one. */
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

/* ---- detach ---- */

static int print_data(const char *path, const struct options *o, FILE *out)
{
	struct profile_data *d;
	struct error e;

	if (!strcmp(path, "/dev/null"))
		return 0;
	if (datafile_read(path, &d, &e)) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	if (rename_profile(&d, o)) {
		profile_data_free(d);
		return STATUS_FAILED;
	}
	int err = print_profile(d, o, out);
	if (!err)
		unseen_say_notes(say_sentence, d);
	profile_data_free(d);
	if (err < 0)
		stream_failed(o, err);
	return err ? STATUS_FAILED : 0;
}

/* A profile that the session has told of: whose it is, and where. */
struct told {
	struct section section;
	const char *path;
	bool saved;	/* there; else it can be read there while the session keeps it */
};

/* What a session has answered to a detach. */
struct detached {
	struct told *profiles;
	size_t n, cap;
	struct section section;	/* whose the next one is */
	bool kept, again;	/* it stays with what it could not save; and has done so before */
	bool failed;
};

/* The rest of @line behind @with; NULL: it does not begin so. */
static const char *behind(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with)) ? line + strlen(with) : NULL;
}

static void take_profile(struct detached *d, const char *path, bool saved)
{
	if (ARRAY_RESERVE(&d->profiles, &d->cap, d->n)) {
		say("the report of %s is left out: out of memory", path);
		d->failed = true;
		return;
	}
	d->profiles[d->n++] = (struct told){ d->section, path, saved };
}

static void take_line(struct detached *d, const char *line)
{
	const char *rest;

	if (behind(line, CONTROL_PROCESS)) {
		section_read(&d->section, line);
	} else if ((rest = behind(line, CONTROL_DATA))) {
		take_profile(d, rest, true);
	} else if ((rest = behind(line, CONTROL_MEMORY))) {
		take_profile(d, rest, false);
	} else if ((rest = behind(line, CONTROL_SAID))) {
		say("%s", rest);
	} else if ((rest = behind(line, CONTROL_FAILED))) {
		say("%s", rest);
		d->failed = true;
	} else if (behind(line, CONTROL_KEPT)) {
		d->kept = true;
		d->again = behind(line, CONTROL_KEPT_AGAIN);
	}
}

static bool is_wanted(const struct told *t)
{
	return strcmp(t->path, "/dev/null") != 0;
}

/* The list of all that follow, where each has a section of its own. */
static bool print_list(const struct detached *d, const struct options *o, FILE *out)
{
	struct section *list = calloc(d->n + 1, sizeof *list);
	size_t n = 0;

	for (size_t i = 0; list && i < d->n; i++)
		if (is_wanted(&d->profiles[i]))
			list[n++] = d->profiles[i].section;
	bool several = n > 1 && o->format == FORMAT_TABLES;
	if (several)
		sections_print_list(list, n, out);
	free(list);
	return several;
}

static int print_sections(const struct detached *d, const struct options *o, FILE *out)
{
	bool several = print_list(d, o, out);
	int status = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct told *t = &d->profiles[i];

		if (several && is_wanted(t))
			section_print_head(&t->section, out);
		int one = print_data(t->path, o, out);

		status = status ? status : one;
		if (t->saved)
			say("the profile is in %s", t->path);
	}
	return status;
}

/* The report of each profile the session has written, and where that is. */
static int print_reports(struct detached *d, const struct options *o)
{
	FILE *out = stream_open(o);

	if (!out)
		return STATUS_FAILED;
	int status = print_sections(d, o, out);

	fn_names_say_unmet(o);
	int err = stream_close(out);
	if (err) {
		stream_failed(o, err);
		status = STATUS_FAILED;
	}
	return status;
}

/*
 * The session keeps what it could not save. Who was told so before, and has the report in a file
 * now, does not want more of it.
 */
static int end_kept(pid_t pid, const struct detached *d, const struct options *o, int status)
{
	struct control_answer a;

	if (d->again && o->output && !status && !ask(pid, "discard", &a, CONTROL_ANSWER_SECONDS)) {
		control_answer_release(&a);
		say("the report is in %s; the profile of process %d itself has been given "
		    "up", o->output,
		    (int)pid);
		return 0;
	}
	say("process %d is free, but its profile is only in the session's memory: make room and "
	    "call mprof detach %d again, or mprof control %d save FILE; mprof control %d discard "
	    "gives it up",
	    (int)pid, (int)pid, (int)pid, (int)pid);
	return STATUS_FAILED;
}

int command_detach(int argc, char **argv)
{
	struct options o;
	pid_t pid;
	int first = options_parse(&o, "detach", argc, argv, 2), status = 0;

	if (first < 0 || !pprof_check_use(&o))
		return STATUS_USAGE;
	if (o.pprof.base) {
		say("option base means nothing for detach: compare the data files with mprof "
		    "report");
		return STATUS_USAGE;
	}
	status = meant_session(&o, argv + first, (size_t)(argc - first), &pid);
	if (status || (!pid && !only_session(&pid, &status)))
		return status;
	/* The session is not ended for a report that cannot be written. */
	if (o.output && output_check_file(o.output, "the report", say_sentence))
		return STATUS_FAILED;
	struct control_answer a;
	status = ask(pid, "detach", &a, DETACH_SECONDS);
	if (status)
		return status;
	struct detached d = { 0 };
	for (char *line = strtok(a.reply.parts[0].text, "\n"); line; line = strtok(NULL, "\n"))
		take_line(&d, line);
	status = print_reports(&d, &o);
	free(d.profiles);
	control_answer_release(&a);
	if (d.kept)
		return end_kept(pid, &d, &o, status);
	return status ? status : d.failed ? STATUS_FAILED : 0;
}

/* ---- control ---- */

/* One that people may use. */
static const struct control_command *find_command(const char *name)
{
	const struct control_command *c = control_command_find(name, strlen(name));

	return c && !(c->flags & CONTROL_INTERNAL) ? c : NULL;
}

/* A file is the tracer's to write, which may have another working directory. */
static char *command_line(const struct control_command *c, pid_t pid, const char *file)
{
	char *line, number[24] = "", *dir = NULL;

	if (file && file[0] != '/' && c->flags & CONTROL_TAKES_FILE)
		dir = getcwd(NULL, 0);

	if (c->flags & CONTROL_TELLS_PID)
		snprintf(number, sizeof number, " %d", (int)pid);
	int n = asprintf(&line, "%s%s%s%s%s%s", c->name, number, file ? " " : "", dir ? dir : "",
			 dir ? "/" : "", file ? file : "");

	free(dir);
	return n < 0 ? NULL : line;
}

/* A command is one line. False: a sentence has been printed. */
static bool can_be_sent(const char *line)
{
	bool whole = !strchr(line, '\n');

	if (whole && strlen(line) < CONTROL_WORDS_MAX)
		return true;
	say("control: %s", whole ? "the name is too long" :
				   "the name has a newline in it, which no command can have");
	return false;
}

static void say_no_control(const char *word)
{
	struct nearest n = { .word = word, .len = strlen(word) };

	for (size_t i = 0; i < n_control_commands; i++)
		if (!(control_commands[i].flags & CONTROL_INTERNAL))
			nearest_try(&n, control_commands[i].name);
	say("control: \"%s\" is no command%s%s%s mprof help control", word,
	    n.best ? ": did you mean " : "", n.best ? n.best : "", n.best ? "? See" : "; see");
}

/* What "mprof control" was called with. */
struct control_call {
	const struct control_command *command;
	pid_t pid;	/* the process that it is about */
	pid_t session;	/* the one whose session is asked */
	enum control_form form;
	const char *rest;	/* a file, or words; NULL: none */
};

/* Whom the command goes to: what tells of a process is asked of whoever traces it. 0 or a
 * status. */
static int call_whom(struct control_call *call, const struct options *o, char *const words[],
		     size_t n)
{
	struct pids pids = { 0 };

	if (!(call->command->flags & CONTROL_TELLS_PID)) {
		int status = meant_session(o, words, n, &call->session);

		call->pid = call->session;
		return status;
	}
	int status = meant_processes(o, words, n, &pids);
	if (!status && pids.n > 1) {
		say("control: of one process at a time; %d is one too many", (int)pids.v[1]);
		status = STATUS_USAGE;
	}
	if (!status && pids.n) {
		call->pid = pids.v[0];
		call->session = control_tracing(call->pid);
		if (!call->session)
			call->session = call->pid;
	}
	pids_release(&pids);
	return status;
}

static void say_usage(void)
{
	char *names = NULL;
	size_t len;
	FILE *out = open_memstream(&names, &len);

	if (!out)
		return;
	control_print_names(out);
	fclose(out);
	say("control: usage: mprof control PID %s", names);
	free(names);
}

/* 0 or a status. */
static int parse_control(struct control_call *call, int argc, char **argv)
{
	struct options o;
	int at = options_parse(&o, "control", argc, argv, 2);

	if (at < 0)
		return STATUS_USAGE;
	call->form = o.format == FORMAT_JSON ? CONTROL_JSON : CONTROL_TEXT;
	char **words = argv + at;
	size_t n_words = o.pids[0] || at >= argc ? 0 : 1;

	at += (int)n_words;
	call->command = at < argc ? find_command(argv[at]) : NULL;
	if (at < argc && !call->command) {
		say_no_control(argv[at]);
		return STATUS_USAGE;
	}
	bool takes = call->command && *control_command_takes(call->command);
	if (!call->command || argc - at > 1 + takes) {
		say_usage();
		return STATUS_USAGE;
	}
	call->rest = at + 1 < argc ? argv[at + 1] : NULL;
	return call_whom(call, &o, words, n_words);
}

/* Who wants JSON finds there what failed, too. */
static int say_failure(const struct control_call *call, int err, const char *sentence)
{
	char *line = call->form == CONTROL_JSON ? answer_error_json(0, sentence) : NULL;

	if (line)
		fputs(line, stdout);
	free(line);
	say("%s", sentence);
	fflush(stdout);
	return status_of(err);
}

static int print_answer(const struct control_call *call, const struct control_answer *a)
{
	for (size_t i = 0; i < a->reply.n; i++)
		if (a->reply.parts[i].ok || call->form == CONTROL_JSON)
			fputs(a->reply.parts[i].text, stdout);
	int status = say_errors(call->session, a, call->form);

	return fflush(stdout) ? STATUS_FAILED : status;
}

int command_control(int argc, char **argv)
{
	struct control_call call = { 0 };
	struct control_answer a;
	struct error e;
	int status = parse_control(&call, argc, argv);

	if (status)
		return status;
	char *line = command_line(call.command, call.pid, call.rest);
	if (line && !can_be_sent(line)) {
		free(line);
		return STATUS_USAGE;
	}
	int err = line ? control_ask(call.session, call.form, line, CONTROL_ANSWER_SECONDS, &a, &e)
		       : error_set(&e, -ENOMEM, "control: out of memory");
	free(line);
	if (err) {
		explain("control", call.session, err, &e);
		return say_failure(&call, err, e.text);
	}
	status = print_answer(&call, &a);
	control_answer_release(&a);
	return status;
}
