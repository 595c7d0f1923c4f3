/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands that talk to a session: detach, control, status. */
#include "base/array.h"
#include "cli/cli.h"
#include "cli/fn_names.h"
#include "cli/meant.h"
#include "cli/nearest.h"
#include "control/control.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/rename.h"
#include "cli/sections.h"
#include "cli/stream.h"
#include "profile/datafile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ANSWER_SECONDS = 30,
	/* A detach frees the process at once, but is answered when the profile is written. */
	DETACH_SECONDS = 600,
};

static int status_of(int err)
{
	return err == -ENOENT || err == -ECONNRESET ? STATUS_NO_SESSION : STATUS_FAILED;
}

/* The answer's text behind its first line "ok", or NULL: an error has been said. */
static char *ask(pid_t pid, const char *line, char *answer, size_t size, unsigned seconds, int *status)
{
	struct error e;
	int err = control_ask(pid, line, answer, size, seconds, &e);

	pid_t by = err == -ENOENT ? control_tracing(pid) : 0;

	*status = err ? status_of(err) : 0;
	if (by)
		meant_say_traced(strcmp(line, "detach") ? "control" : "detach", pid, by);
	else if (err)
		say("%s", e.text);
	if (err)
		return NULL;
	if (!strncmp(answer, "ok\n", 3))
		return answer + 3;
	*status = STATUS_FAILED;
	answer[strcspn(answer, "\n")] = '\0';
	say("process %d: %s", (int)pid,
	    !strncmp(answer, "error ", 6) ? answer + 6 : "the session ended without an answer");
	return NULL;
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

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
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
	if (begins(line, "process ")) {
		section_read(&d->section, line);
	} else if (begins(line, "data ")) {
		take_profile(d, line + 5, true);
	} else if (begins(line, "memory ")) {
		take_profile(d, line + 7, false);
	} else if (begins(line, "said ")) {
		say("%s", line + 5);
	} else if (begins(line, "failed ")) {
		say("%s", line + 7);
		d->failed = true;
	} else if (begins(line, "kept")) {
		d->kept = true;
		d->again = begins(line, "kept again");
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
 * The session keeps what it could not save. Who was told so before, and has the report in a file now,
 * does not want more of it.
 */
static int end_kept(pid_t pid, const struct detached *d, const struct options *o, int status)
{
	char answer[CONTROL_LINE_MAX];

	if (d->again && o->output && !status &&
	    ask(pid, "discard", answer, sizeof answer, ANSWER_SECONDS, &status)) {
		say("the report is in %s; the profile of process %d itself has been given up", o->output,
		    (int)pid);
		return 0;
	}
	say("process %d is free, but its profile is only in the session's memory: make room and call mprof "
	    "detach %d again, or mprof control %d save FILE; mprof control %d discard gives it up",
	    (int)pid, (int)pid, (int)pid, (int)pid);
	return STATUS_FAILED;
}

int command_detach(int argc, char **argv)
{
	static char answer[16 << 20]; /* a line for each process; memory is used as far as it is filled */
	struct options o;
	pid_t pid;
	int first = options_parse(&o, "detach", argc, argv, 2), status = 0;

	if (first < 0 || !pprof_check_use(&o))
		return STATUS_USAGE;
	if (o.pprof.base) {
		say("option base means nothing for detach: compare the data files with mprof report");
		return STATUS_USAGE;
	}
	status = meant_session(&o, argv + first, (size_t)(argc - first), &pid);
	if (status || (!pid && !only_session(&pid, &status)))
		return status;
	/* The session is not ended for a report that cannot be written. */
	if (o.output && output_check_file(o.output, "the report"))
		return STATUS_FAILED;
	char *lines = ask(pid, "detach", answer, sizeof answer, DETACH_SECONDS, &status);
	if (!lines)
		return status;
	if (strlen(answer) + 1 == sizeof answer)
		say("too many processes: some of their reports are not shown here");
	struct detached d = { 0 };
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
		take_line(&d, line);
	status = print_reports(&d, &o);
	free(d.profiles);
	if (d.kept)
		return end_kept(pid, &d, &o, status);
	return status ? status : d.failed ? STATUS_FAILED : 0;
}

/* ---- control ---- */

/* The commands, and what may stand behind them. */
enum { TAKES_FILE = 1, TELLS_PID = 2, TAKES_WORDS = 4 };

static const struct control_command {
	const char *name;
	unsigned flags;
} control_commands[] = {
	{ "status", 0 },
	{ "stats", 0 },
	{ "suspend", 0 },
	{ "resume", 0 },
	{ "mark", 0 },
	{ "save", TAKES_FILE },
	{ "snapshot", TAKES_FILE | TELLS_PID },
	{ "detailed_snapshot", TAKES_FILE | TELLS_PID },
	{ "all_snapshots", TAKES_FILE | TELLS_PID },
	{ "heap_dump", TAKES_WORDS },
	{ "discard", 0 },
	{ "help", 0 },
};

static const struct control_command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof control_commands / sizeof *control_commands; i++)
		if (!strcmp(name, control_commands[i].name))
			return &control_commands[i];
	return NULL;
}

/* A file is the tracer's to write, which may have another working directory. */
static char *command_line(const struct control_command *c, pid_t pid, const char *file)
{
	char *line, number[24] = "", *dir = NULL;

	if (file && file[0] != '/' && c->flags & TAKES_FILE)
		dir = getcwd(NULL, 0);

	if (c->flags & TELLS_PID)
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

	if (whole && strlen(line) < CONTROL_LINE_MAX)
		return true;
	say("control: %s", whole ? "the name is too long" :
				   "the name has a newline in it, which no command can have");
	return false;
}

static void say_no_control(const char *word)
{
	struct nearest n = { .word = word, .len = strlen(word) };

	for (size_t i = 0; i < sizeof control_commands / sizeof *control_commands; i++)
		nearest_try(&n, control_commands[i].name);
	say("control: \"%s\" is no command%s%s%s mprof help control", word, n.best ? ": did you mean " : "",
	    n.best ? n.best : "", n.best ? "? See" : "; see");
}

/* What "mprof control" was called with. */
struct control_call {
	const struct control_command *command;
	pid_t pid;	/* the process that it is about */
	pid_t session;	/* the one whose session is asked */
	const char *rest;	/* a file, or words; NULL: none */
};

/* Whom the command goes to: what tells of a process is asked of whoever traces it. 0 or a status. */
static int call_whom(struct control_call *call, const struct options *o, char *const words[], size_t n)
{
	struct pids pids = { 0 };

	if (!(call->command->flags & TELLS_PID)) {
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

/* 0 or a status. */
static int parse_control(struct control_call *call, int argc, char **argv)
{
	struct options o;
	int at = options_parse(&o, "control", argc, argv, 2);

	if (at < 0)
		return STATUS_USAGE;
	char **words = argv + at;
	size_t n_words = o.pids[0] || at >= argc ? 0 : 1;

	at += (int)n_words;
	call->command = at < argc ? find_command(argv[at]) : NULL;
	if (at < argc && !call->command) {
		say_no_control(argv[at]);
		return STATUS_USAGE;
	}
	bool takes = call->command && call->command->flags & (TAKES_FILE | TAKES_WORDS);
	if (!call->command || argc - at > 1 + takes) {
		say("control: usage: mprof control PID status|stats|suspend|resume|mark|save [FILE]|"
		    "snapshot [FILE]|detailed_snapshot [FILE]|all_snapshots [FILE]|heap_dump [REASON]|discard|help");
		return STATUS_USAGE;
	}
	call->rest = at + 1 < argc ? argv[at + 1] : NULL;
	return call_whom(call, &o, words, n_words);
}

int command_control(int argc, char **argv)
{
	char answer[CONTROL_LINE_MAX * 2];
	struct control_call call = { 0 };
	int status = parse_control(&call, argc, argv);

	if (status)
		return status;
	char *line = command_line(call.command, call.pid, call.rest);
	if (line && !can_be_sent(line)) {
		free(line);
		return STATUS_USAGE;
	}
	status = STATUS_FAILED;
	char *text = line ? ask(call.session, line, answer, sizeof answer, ANSWER_SECONDS, &status) : NULL;
	free(line);
	if (!text)
		return status;
	fputs(text, stdout);
	return fflush(stdout) ? STATUS_FAILED : 0;
}

/* ---- status ---- */

/* The value of a line "name: value" of an answer. */
static const char *field(const char *text, const char *name, char value[256])
{
	const char *at = strstr(text, name);

	snprintf(value, 256, "%.*s", at ? (int)strcspn(at + strlen(name), "\n") : 1,
		 at ? at + strlen(name) : "?");
	return value;
}

static void print_session(pid_t pid)
{
	char answer[CONTROL_LINE_MAX], v[6][256];
	struct error e;

	if (control_ask(pid, "status", answer, sizeof answer, ANSWER_SECONDS, &e)) {
		printf("%7d  %s\n", (int)pid, e.text);
		return;
	}
	printf("%7d  %-9s  %9s  %12s  %12s  %14s  %s\n", (int)pid, field(answer, "state: ", v[0]),
	       field(answer, "elapsed seconds: ", v[1]), field(answer, "allocations: ", v[2]),
	       field(answer, "frees: ", v[3]), field(answer, "live bytes: ", v[4]),
	       field(answer, "command: ", v[5]));
	if (!strcmp(v[0], "unsaved"))
		say("process %d is not traced any more: %s; make room and call mprof detach %d, or mprof control %d "
		    "save FILE; mprof control %d discard gives the profile up", (int)pid,
		    field(answer, "not saved: ", v[1]), (int)pid, (int)pid, (int)pid);
}

int command_status(int argc, char **argv)
{
	pid_t *pids;
	struct error e;

	if (argc > 2) {
		say("status: takes no arguments; \"%s\" is one too many", argv[2]);
		return STATUS_USAGE;
	}
	ssize_t n = control_sessions(&pids, &e);
	if (n < 0) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	if (n == 0)
		puts("no sessions");
	else
		printf("%7s  %-9s  %9s  %12s  %12s  %14s  %s\n", "process", "state", "seconds",
		       "allocations", "frees", "live bytes", "command");
	for (ssize_t i = 0; i < n; i++)
		print_session(pids[i]);
	free(pids);
	return fflush(stdout) ? STATUS_FAILED : 0;
}
