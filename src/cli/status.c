/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof status: the sessions, and what each has observed so far. */
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "control/control.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *answer, const char *key)
{
	const char *text = json_string_value(json_object_get(answer, key));

	return text ? text : "?";
}

/* "-" if it was not in the answer, which is not 0. */
static const char *count_of(const json_t *answer, const char *key, char text[24])
{
	const json_t *n = json_object_get(answer, key);

	if (!json_is_number(n))
		return "?";
	/* from 2^63 on it is not an integer: see json_out_num() */
	if (json_is_real(n))
		snprintf(text, 24, "%.0f", json_real_value(n));
	else
		snprintf(text, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(n));
	return text;
}

static const char *tenths_of(const json_t *answer, const char *key, char text[24])
{
	const json_t *n = json_object_get(answer, key);

	if (!json_is_number(n))
		return "?";
	snprintf(text, 24, "%.1f", json_number_value(n));
	return text;
}

/* 0: the program has not run yet, or was not observed. */
static const char *slowdown_told(const json_t *answer, char text[24])
{
	const json_t *n = json_object_get(answer, "slowdown");

	if (!json_is_number(n))
		return "?";
	if (json_number_value(n) <= 0)
		return "-";
	snprintf(text, 24, "%.2f", json_number_value(n));
	return text;
}

static void print_head(void)
{
	printf("%7s  %-9s  %9s  %12s  %12s  %14s  %-6s  %6s  %8s  %s\n", "process", "state",
	       "seconds", "allocations", "frees", "live bytes", "engine", "busy %", "slowdown",
	       "command");
}

/* Print the figures of one of several processes of a session. */
static void print_process(pid_t session, const json_t *process)
{
	char in[24], n[4][24];

	snprintf(in, sizeof in, "in %d", (int)session);
	printf("%7s  %-9s  %9s  %12s  %12s  %14s  %-6s  %6s  %8s  %s\n",
	       count_of(process, "pid", n[0]), in, "", count_of(process, "allocations", n[1]),
	       count_of(process, "frees", n[2]), count_of(process, "live_bytes", n[3]), "", "", "",
	       text_of(process, "command"));
}

/* If there are several, the session's own line has the sums. */
static void print_processes(pid_t session, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "each_process");
	size_t n = json_array_size(list);

	for (size_t i = 0; n > 1 && i < n; i++)
		print_process(session, json_array_get(list, i));
}

static void print_row(pid_t pid, const json_t *answer)
{
	const char *state = text_of(answer, "state");
	char n[6][24];

	size_t processes = json_array_size(json_object_get(answer, "each_process"));
	char many[40] = "";

	if (processes > 1)
		snprintf(many, sizeof many, ", and %zu more: in all", processes - 1);
	printf("%7d  %-9s  %9s  %12s  %12s  %14s  %-6s  %6s  %8s  %s%s\n", (int)pid, state,
	       tenths_of(answer, "elapsed_seconds", n[0]), count_of(answer, "allocations", n[1]),
	       count_of(answer, "frees", n[2]), count_of(answer, "live_bytes", n[3]),
	       text_of(answer, "engine"), tenths_of(answer, "busy_percent", n[4]),
	       slowdown_told(answer, n[5]), text_of(answer, "command"), many);
	print_processes(pid, answer);
	const char *not_kept = text_of(answer, "not_kept");

	if (strcmp(not_kept, "?") && strcmp(not_kept, "nothing"))
		say("process %d: for --max-memory these are not kept: %s", (int)pid, not_kept);
	if (!strcmp(state, "unsaved"))
		say("process %d is not traced any more: %s; mprof detach %d tries again, mprof "
		    "control %d save FILE writes elsewhere, mprof control %d discard gives up",
		    (int)pid,
		    text_of(answer, "not_saved"), (int)pid, (int)pid, (int)pid);
}

/* Print the session's answer unchanged; @e: why there is none. */
static void print_json(pid_t pid, const char *text, const struct error *e)
{
	char *line = text ? NULL : answer_error_json(pid, e->text);

	if (!text)
		text = line ? line : "null\n";
	printf("%.*s", (int)strcspn(text, "\n"), text);
	free(line);
}

static void print_session(struct control_asked *asked, bool as_json)
{
	pid_t pid = asked->pid;
	const char *text = asked->err ? NULL : asked->answer.reply.parts[0].text;
	json_t *answer = text ? json_loads(text, 0, NULL) : NULL;

	if (text && !json_is_object(answer)) {
		error_set(&asked->error, 0,
			  "the session of process %d has answered something else than its status",
			  (int)pid);
		text = NULL;
	}
	if (as_json)
		print_json(pid, text, &asked->error);
	else if (text)
		print_row(pid, answer);
	else
		printf("%7d  %s\n", (int)pid, asked->error.text);
	json_decref(answer);
}

static void print_sessions(struct control_asked *asked, size_t n)
{
	if (n == 0)
		puts("no sessions");
	else
		print_head();
	for (size_t i = 0; i < n; i++)
		print_session(&asked[i], false);
}

static void print_array(struct control_asked *asked, size_t n)
{
	fputs("[", stdout);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		print_session(&asked[i], true);
	}
	fputs("]\n", stdout);
}

/* 0 or a status. */
static int ask_and_print(const pid_t *pids, size_t n, bool as_json)
{
	struct control_asked *asked = calloc(n + 1, sizeof *asked);

	for (size_t i = 0; asked && i < n; i++)
		asked[i].pid = pids[i];
	if (!asked || control_ask_all(asked, n, "status", CONTROL_LOOK_SECONDS)) {
		say("status: out of memory");
		free(asked);
		return STATUS_FAILED;
	}
	if (as_json)
		print_array(asked, n);
	else
		print_sessions(asked, n);
	for (size_t i = 0; i < n; i++)
		control_answer_release(&asked[i].answer);
	free(asked);
	return fflush(stdout) ? STATUS_FAILED : 0;
}

int command_status(int argc, char **argv)
{
	struct options o;
	int at = options_parse(&o, "status", argc, argv, 2);
	pid_t *pids;
	struct error e;

	if (at < 0)
		return STATUS_USAGE;
	if (at < argc) {
		say("status: takes no arguments; \"%s\" is one too many", argv[at]);
		return STATUS_USAGE;
	}
	ssize_t n = control_sessions(&pids, &e);
	if (n < 0) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	int status = ask_and_print(pids, (size_t)n, o.format == FORMAT_JSON);

	free(pids);
	return status;
}
