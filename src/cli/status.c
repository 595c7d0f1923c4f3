/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof status: the sessions there are, and what each has seen so far. */
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

/* What is not there was not told, which is not 0. */
static const char *count_of(const json_t *answer, const char *key, char text[24])
{
	const json_t *n = json_object_get(answer, key);

	if (!json_is_integer(n))
		return "?";
	snprintf(text, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(n));
	return text;
}

static const char *seconds_of(const json_t *answer, const char *key, char text[24])
{
	const json_t *n = json_object_get(answer, key);

	if (!json_is_number(n))
		return "?";
	snprintf(text, 24, "%.1f", json_number_value(n));
	return text;
}

static void print_head(void)
{
	printf("%7s  %-9s  %9s  %12s  %12s  %14s  %s\n", "process", "state", "seconds",
	       "allocations", "frees", "live bytes", "command");
}

static void print_row(pid_t pid, const json_t *answer)
{
	const char *state = text_of(answer, "state");
	char n[4][24];

	printf("%7d  %-9s  %9s  %12s  %12s  %14s  %s\n", (int)pid, state,
	       seconds_of(answer, "elapsed_seconds", n[0]), count_of(answer, "allocations", n[1]),
	       count_of(answer, "frees", n[2]), count_of(answer, "live_bytes", n[3]),
	       text_of(answer, "command"));
	if (!strcmp(state, "unsaved"))
		say("process %d is not traced any more: %s; mprof detach %d tries again, mprof "
		    "control %d save FILE writes elsewhere, mprof control %d discard gives up",
		    (int)pid,
		    text_of(answer, "not_saved"), (int)pid, (int)pid, (int)pid);
}

/* The session's own word, as it came; @e: why there is none. */
static void print_json(pid_t pid, const char *text, const struct error *e)
{
	char *line = text ? NULL : answer_error_json(pid, e->text);

	if (!text)
		text = line ? line : "null\n";
	printf("%.*s", (int)strcspn(text, "\n"), text);
	free(line);
}

static void print_session(pid_t pid, bool as_json)
{
	struct control_answer a;
	struct error e;
	int err = control_ask(pid, CONTROL_JSON, "status", CONTROL_ANSWER_SECONDS, &a, &e);
	const char *text = err ? NULL : a.reply.parts[0].text;
	json_t *answer = text ? json_loads(text, 0, NULL) : NULL;

	if (text && !json_is_object(answer)) {
		error_set(&e, 0, "the session of process %d has answered something else than its "
				 "status", (int)pid);
		text = NULL;
	}
	if (as_json)
		print_json(pid, text, &e);
	else if (text)
		print_row(pid, answer);
	else
		printf("%7d  %s\n", (int)pid, e.text);
	json_decref(answer);
	control_answer_release(&a);
}

static void print_sessions(const pid_t *pids, ssize_t n)
{
	if (n == 0)
		puts("no sessions");
	else
		print_head();
	for (ssize_t i = 0; i < n; i++)
		print_session(pids[i], false);
}

static void print_array(const pid_t *pids, ssize_t n)
{
	fputs("[", stdout);
	for (ssize_t i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		print_session(pids[i], true);
	}
	fputs("]\n", stdout);
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
	if (o.format == FORMAT_JSON)
		print_array(pids, n);
	else
		print_sessions(pids, n);
	free(pids);
	return fflush(stdout) ? STATUS_FAILED : 0;
}
