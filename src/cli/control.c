/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof control. */
#include "base/memstream.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/asking.h"
#include "cli/cli.h"
#include "cli/meant.h"
#include "cli/options.h"
#include "cli/stream.h"
#include "control/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Find a command for users. */
static const struct control_command *find_command(const char *name)
{
	const struct control_command *c = control_command_find(name, strlen(name));

	return c && !(c->flags & CONTROL_INTERNAL) ? c : NULL;
}

/* The file is made absolute: the tracer writes it, and may have another working directory. */
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

/* True if the command fits on one line. False: a sentence has been printed. */
static bool can_be_sent(const char *line)
{
	bool whole = !strchr(line, '\n');

	if (whole && strlen(line) < CONTROL_WORDS_MAX)
		return true;
	say("control: %s", whole ? "the name is too long" :
				   "the name has a newline in it, which no command can have");
	return false;
}

/* True for names like /dev/stdout, which in the session's process lead to other files. */
static bool is_of_a_process(const char *file)
{
	static const char *const places[] = { "/dev/std", "/dev/fd/", "/dev/tty", "/proc/self/",
					      "/proc/thread-self/" };

	for (size_t i = 0; file && i < sizeof places / sizeof *places; i++)
		if (text_begins(file, places[i]))
			return true;
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

/* The arguments of mprof control. */
struct control_call {
	const struct control_command *command;
	pid_t pid;	/* the process that it is about */
	pid_t session;	/* the process whose session is asked */
	enum control_form form;
	const char *rest;	/* a file, or words; NULL: none */
};

/* Find the session for the command: one about a process goes to the session that traces it. 0 or a
 * status. */
static int find_session(struct control_call *call, const struct options *o, char *const words[],
			size_t n)
{
	if (!(call->command->flags & CONTROL_TELLS_PID)) {
		int status = meant_session(o, words, n, &call->session);

		call->pid = call->session;
		return status;
	}
	int status = meant_process(o, words, n, &call->pid);

	call->session = call->pid ? control_tracing(call->pid) : 0;
	if (!call->session)
		call->session = call->pid;
	return status;
}

static void say_usage(void)
{
	char *names = NULL;
	size_t len;
	FILE *out = memstream_open(&names, &len);

	if (out) {
		control_print_names(out);
		fclose(out);
	}
	say("control: usage: mprof control PID %s", names ? names : "COMMAND");
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
	return find_session(call, &o, words, n_words);
}

/* With JSON, failures are printed as JSON, too. */
static int say_failure(const struct control_call *call, int err, const char *sentence)
{
	char *line = call->form == CONTROL_JSON ? answer_error_json(0, sentence) : NULL;

	if (line)
		fputs(line, stdout);
	free(line);
	say("%s", sentence);
	fflush(stdout);
	return asking_status(err);
}

static int print_answer(const struct control_call *call, const struct control_answer *a)
{
	for (size_t i = 0; i < a->reply.n; i++)
		if (a->reply.parts[i].ok || call->form == CONTROL_JSON)
			fputs(a->reply.parts[i].text, stdout);
	int status = asking_say_errors(call->session, a, call->form);

	return stream_end_stdout(status);
}

int command_control(int argc, char **argv)
{
	struct control_call call = { 0 };
	struct control_answer a;
	struct error e;
	int status = parse_control(&call, argc, argv);

	if (status)
		return status;
	if (call.command->flags & CONTROL_TAKES_FILE && is_of_a_process(call.rest)) {
		say("control: %s would be the session's, and not yours: name a file", call.rest);
		return STATUS_USAGE;
	}
	char *line = command_line(call.command, call.pid, call.rest);
	if (!line)
		return say_failure(&call, -ENOMEM, "control: out of memory");
	if (!can_be_sent(line)) {
		free(line);
		return STATUS_USAGE;
	}
	int err = control_ask(call.session, call.form, line, CONTROL_ANSWER_SECONDS, &a, &e);
	free(line);
	if (err) {
		asking_explain("control", call.session, err, &e);
		return say_failure(&call, err, e.text);
	}
	status = print_answer(&call, &a);
	control_answer_release(&a);
	return status;
}
