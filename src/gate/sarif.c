/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of conditions as SARIF 2.1.0: a rule for each condition, a result for each row of one
 * that holds, located at the request.
 * Source: Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS Standard.
 */
#include "base/jsontext.h"
#include "base/memstream.h"
#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "gate/gate.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define SCHEMA                                                                                     \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* ---- text ---- */

/* Escaped as in the tables: control and invisible characters become octal. NULL: out of memory, as
 * everywhere in this file. */
static json_t *harmless(const char *s)
{
	char *safe = printable_copy(s);
	json_t *j = safe ? json_text(safe) : NULL;

	free(safe);
	return j;
}

/* In messages, square brackets are links and braces placeholders (3.11.5, 3.11.6): escape those in
 * names. */
static void put_plain(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (strchr("[]\\", *s))
			fputc('\\', out);
		if (strchr("{}", *s))
			fputc(*s, out);
		fputc(*s, out);
	}
}

/* {"text": ...} */
static json_t *message(const char *text)
{
	char *plain = NULL, *safe = printable_copy(text);
	size_t len;
	FILE *out = safe ? memstream_open(&plain, &len) : NULL;
	json_t *m = NULL;

	if (out) {
		put_plain(out, safe);
		m = fclose(out) ? NULL : json_pack("{s:o}", "text", json_text(plain));
	}
	free(plain);
	free(safe);
	return m;
}

/* A path as URI: all but unreserved characters and slashes are percent-encoded (RFC 3986). */
static json_t *uri(const char *scheme, const char *path)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	fputs(scheme, out);
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
			fputc(*path, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*path);
	json_t *j = fclose(out) ? NULL : json_string(text);

	free(text);
	return j;
}

/* ---- results ---- */

/* Files below @root, which in CI is the directory of the sources, are named relative to it. */
static json_t *artifact(const char *file, const char *root)
{
	const char *rest = root && strcmp(root, "/") ? text_after(file, root) : NULL;

	if (*file != '/')
		return json_pack("{s:o}", "uri", uri("", file));
	if (rest && *rest == '/')
		return json_pack("{s:o,s:s}", "uri", uri("", rest + 1), "uriBaseId", "%SRCROOT%");
	return json_pack("{s:o}", "uri", uri("file://", file));
}

static json_t *location(const struct gate_row *row, const char *root)
{
	json_t *l = json_object();

	if (row->file) {
		json_t *place = json_pack("{s:o}", "artifactLocation", artifact(row->file, root));

		if (row->line)
			json_object_set_new(place, "region",
					    json_pack("{s:I}", "startLine", (json_int_t)row->line));
		if (json_object_set_new(l, "physicalLocation", place))
			goto fail;
	}
	if (row->function &&
	    json_object_set_new(l, "logicalLocations",
				json_pack("[{s:o,s:s}]", "fullyQualifiedName",
					  harmless(row->function), "kind", "function")))
		goto fail;
	return l;
fail:
	json_decref(l);
	return NULL;
}

static json_t *result(const struct gate_result *r, const struct gate_condition *c,
		      const char *kind, const char *text)
{
	bool fails = !strcmp(kind, "fail");

	return json_pack("{s:o,s:I,s:s,s:s,s:o}", "ruleId", harmless(c->text), "ruleIndex",
			 (json_int_t)r->condition, "kind", kind, "level", fails ? "error" : "none",
			 "message", message(text));
}

/* "kept>0: there are ..., in process 12, ./a.out" for free(), or NULL. */
static char *sentence(const struct gate *g, const struct gate_result *r, const struct gate_row *row)
{
	const struct gate_process *p = &g->processes[r->process];
	const struct gate_condition *c = &g->conditions[r->condition];
	char why[1024], *text;
	int n;

	gate_result_print(g, r, why, sizeof why);
	if (row)
		n = asprintf(&text, "%s, process %" PRIu32 " (%s): %s; %" PRId64 " %s of these on "
				    "this path: %s",
			     c->text, p->pid, p->program, why, row->value,
			     gate_figure_unit(c->figure, row->value == 1), row->path);
	else
		n = asprintf(&text, "%s, process %" PRIu32 " (%s): %s", c->text, p->pid, p->program,
			     why);
	return n < 0 ? NULL : text;
}

/* 0 or -ENOMEM. */
static int add_result(json_t *results, const struct gate *g, const struct gate_result *r,
		      const struct gate_row *row, const char *root)
{
	const struct gate_condition *c = &g->conditions[r->condition];
	char *text = sentence(g, r, row);
	json_t *j = text ? result(r, c, r->outcome == GATE_BROKEN ? "fail" : "open", text) : NULL;
	int err = j ? 0 : -ENOMEM;

	free(text);
	if (j && row)
		err = json_object_set_new(j, "locations", json_pack("[o]", location(row, root)));
	if (json_array_append_new(results, j) || err)
		return -ENOMEM;
	return 0;
}

static json_t *results(const struct gate *g, const char *root)
{
	json_t *all = json_array();
	int err = all ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < g->n_results; i++) {
		const struct gate_result *r = &g->results[i];

		if (r->outcome != GATE_PASSED && !r->rows.n)
			err = add_result(all, g, r, NULL, root);
		for (size_t k = 0; !err && k < r->rows.n; k++)
			err = add_result(all, g, r, &r->rows.items[k], root);
	}
	if (!err)
		return all;
	json_decref(all);
	return NULL;
}

/* ---- the log ---- */

static json_t *rules(const struct gate *g)
{
	json_t *all = json_array();

	for (size_t i = 0; i < g->n_conditions; i++) {
		const char *text = g->conditions[i].text;
		json_t *rule = json_pack("{s:o,s:o}", "id", harmless(text), "shortDescription",
					 message(text));

		if (json_array_append_new(all, rule)) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

/* What was not counted, as notifications of the tool: a note for each process. */
static json_t *invocations(const struct gate *g)
{
	json_t *notes = json_array();
	int err = notes ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < g->n_processes; i++) {
		char text[512], sentence[600];

		if (!gate_runtime_print(g, i, text, sizeof text))
			continue;
		snprintf(sentence, sizeof sentence, "process %" PRIu32 ": %s", g->processes[i].pid,
			 text);
		err = json_array_append_new(notes, json_pack("{s:s,s:o}", "level", "note",
							     "message", message(sentence)));
	}
	if (!err)
		return json_pack("[{s:b,s:o}]", "executionSuccessful", 1,
				 "toolExecutionNotifications", notes);
	json_decref(notes);
	return NULL;
}

int gate_print_sarif(const struct gate *g, const char *root, FILE *out)
{
	json_t *log = json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:o,s:o}]}", "$schema", SCHEMA,
				"version", "2.1.0", "runs", "tool", "driver", "name", "mprof",
				"version", MPROF_VERSION, "rules", rules(g), "invocations",
				invocations(g), "results", results(g, root));
	int err = json_text_put(log, JSON_INDENT(1), out);

	if (!err)
		fputc('\n', out);
	return err ? err : stream_error(out);
}
