/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answer.h"

#include "base/jsontext.h"
#include "base/memstream.h"
#include "mma/stats_text.h"
#include "report/json_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef void send_fn(const struct control_asker *to, bool ok, const char *text);

void answer_begin(struct answer *a, const struct control_asker *to)
{
	*a = (struct answer){ .to = to };
	a->out = memstream_open(&a->text, &a->len);
	if (to->form == CONTROL_JSON)
		a->json = json_pack("{sb}", "ok", 1);
}

static bool is_text(const struct answer *a)
{
	return a->out && a->to->form == CONTROL_TEXT;
}

/* Lack of memory is noticed when the answer is sent. */
static void add(struct answer *a, const char *key, json_t *value)
{
	if (json_object_set_new(a->json, key, value)) {
		json_decref(a->json);
		a->json = NULL;
	}
}

void answer_text(struct answer *a, const char *label, const char *key, const char *value)
{
	if (!is_text(a))
		add(a, key, json_text(value));
	else if (label)
		fprintf(a->out, "%s: %s\n", label, value);
}

void answer_number(struct answer *a, const char *label, const char *key, uint64_t value)
{
	if (!is_text(a))
		add(a, key, json_out_num(value));
	else if (label)
		fprintf(a->out, "%s: %" PRIu64 "\n", label, value);
}

void answer_seconds(struct answer *a, const char *label, const char *key, double value,
		    int decimals)
{
	if (!is_text(a))
		add(a, key, json_real(value));
	else if (label)
		fprintf(a->out, "%s: %.*f\n", label, decimals, value);
}

static void note(struct answer *a, const char *mark, const char *sentence)
{
	if (is_text(a))
		fprintf(a->out, "%s%s\n", mark, sentence);
	else
		add(a, "note", json_text(sentence));
}

void answer_note(struct answer *a, const char *sentence)
{
	note(a, "", sentence);
}

void answer_said(struct answer *a, const char *sentence)
{
	note(a, CONTROL_SAID, sentence);
}

/* Append to an array. Out of memory counts as NULL, too. */
static void add_to(struct answer *a, const char *key, json_t *value)
{
	json_t *list = json_object_get(a->json, key);

	if (!list) {
		add(a, key, json_array());
		list = json_object_get(a->json, key);
	}
	json_array_append_new(list, value);
}

void answer_process(struct answer *a, const struct answer_process *p)
{
	if (!is_text(a))
		add_to(a, "each_process",
		       json_pack("{si so so so so}", "pid", (int)p->pid, "command",
				 json_text(p->command), "allocations", json_out_num(p->allocs),
				 "frees", json_out_num(p->frees), "live_bytes",
				 json_out_num(p->live_bytes)));
	else if (p->is_told)
		fprintf(a->out,
			"process %d: %s, %" PRIu64 " allocations, %" PRIu64 " frees, %" PRIu64
			" live bytes\n",
			(int)p->pid, p->command, p->allocs, p->frees, p->live_bytes);
}

void answer_file(struct answer *a, const char *mark, const char *path)
{
	if (is_text(a)) {
		fprintf(a->out, "%s%s\n", mark, path);
		return;
	}
	add_to(a, "files", json_text(path));
}

/* " [FILE]" as "FILE" */
static json_t *taken(const struct control_command *c)
{
	const char *takes = control_command_takes(c);
	size_t len = strlen(takes);

	return len ? json_stringn(takes + 2, len - 3) : json_null();
}

void answer_commands(struct answer *a)
{
	enum { WIDTH = 26 };

	if (is_text(a)) {
		control_print_help("", WIDTH, a->out);
		return;
	}
	json_t *list = json_array();

	for (const struct control_command *c = control_commands;
	     c < control_commands + n_control_commands; c++)
		if (!(c->flags & CONTROL_INTERNAL))
			json_array_append_new(list, json_pack("{ss so ss}", "name", c->name,
							      "takes", taken(c), "help", c->help));
	add(a, "commands", list);
}

void answer_stats(struct answer *a, const struct mma_stats *st, bool humanized)
{
	if (is_text(a))
		mma_stats_print(st, humanized, a->out);
	else if (a->out) /* 128-bit numbers, which jansson does not support: see json_line() */
		mma_stats_json(st, a->out);
}

void answer_drop(struct answer *a)
{
	if (a->out)
		fclose(a->out);
	json_decref(a->json);
	free(a->text);
}

/* For free(); NULL: out of memory. */
static char *json_line(struct answer *a)
{
	char *line = json_text_dump(a->json, JSON_COMPACT | JSON_REAL_PRECISION(15)), *with = NULL;
	int n = -1;

	json_decref(a->json);
	/* The text is a member that was formatted by hand. */
	if (line && a->len)
		n = asprintf(&with, "%.*s,\"stats\":%.*s}\n", (int)strlen(line) - 1, line,
			     (int)strcspn(a->text, "\n"), a->text);
	else if (line)
		n = asprintf(&with, "%s\n", line);
	free(line);
	return n < 0 ? NULL : with;
}

char *answer_error_json(pid_t pid, const char *sentence)
{
	json_t *o = json_pack("{sb}", "ok", 0);
	char *line = NULL, *text = NULL;

	if (pid)
		json_object_set_new(o, "pid", json_integer(pid));
	if (!json_object_set_new(o, "error", json_text(sentence)))
		line = json_text_dump(o, JSON_COMPACT);
	json_decref(o);
	if (line && asprintf(&text, "%s\n", line) < 0)
		text = NULL;
	free(line);
	return text;
}

static void fail(const struct control_asker *to, const char *sentence, send_fn *send)
{
	char *line = to->form == CONTROL_JSON ? answer_error_json(0, sentence) : NULL;

	send(to, false, to->form == CONTROL_TEXT ? sentence : line ? line : "{\"ok\":false}\n");
	free(line);
}

static void finish(struct answer *a, send_fn *send)
{
	bool failed = !a->out || fclose(a->out);
	char *line = a->to->form == CONTROL_JSON && !failed ? json_line(a) : NULL;
	const char *text = a->to->form == CONTROL_JSON ? line : a->text;

	if (failed || !text)
		fail(a->to, "out of memory", send);
	else
		send(a->to, true, text);
	free(line);
	free(a->text);
}

void answer_send(struct answer *a)
{
	finish(a, control_answer);
}

void answer_send_part(struct answer *a)
{
	finish(a, control_answer_part);
}

void answer_error(const struct control_asker *to, const char *sentence)
{
	fail(to, sentence, control_answer);
}

void answer_error_part(const struct control_asker *to, const char *sentence)
{
	fail(to, sentence, control_answer_part);
}
