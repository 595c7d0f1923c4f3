/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of conditions as JUnit XML: a suite for each process, a test case for each condition.
 * It has all elements of Ant's own files, for which most readers were made.
 */
#include "base/memstream.h"
#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "gate/gate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- text ---- */

/* Other characters are escaped as in the tables, which excludes those that XML 1.0 cannot
 * represent: controls, invalid UTF-8, and the two noncharacters. Returns the text after the
 * character. */
static const char *put_character(FILE *out, const char *s)
{
	/* A literal newline in an attribute would be read as a blank. */
	if (!strchr("\t\n\r<>&\"'", *s))
		return printable_put(out, s);
	fprintf(out, "&#%u;", (unsigned)*s);
	return s + 1;
}

static void put_text(FILE *out, const char *s)
{
	while (*s)
		s = put_character(out, s);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	put_text(out, value);
	fputc('"', out);
}

/* ---- a case ---- */

/* 0 or -ENOMEM. */
static int put_rows(const struct gate *g, const struct gate_result *r, FILE *out)
{
	char *text = NULL;
	size_t len;
	FILE *rows = memstream_open(&text, &len);
	bool whole = rows && !gate_rows_print(g, r, rows);

	whole = rows && !fclose(rows) && whole;
	if (whole)
		put_text(out, text);
	free(text);
	return whole ? 0 : -ENOMEM;
}

/* 0 or -ENOMEM. */
static int put_case(const struct gate *g, const struct gate_result *r, FILE *out)
{
	const struct gate_process *p = &g->processes[r->process];
	bool broken = r->outcome == GATE_BROKEN;
	const char *element = broken ? "failure" : "error";
	char why[1024];

	fputs("    <testcase", out);
	put_attribute(out, "name", g->conditions[r->condition].text);
	put_attribute(out, "classname", path_last(p->program));
	fputs(" time=\"0.000\"", out);
	if (r->outcome == GATE_PASSED) {
		fputs("/>\n", out);
		return 0;
	}
	gate_result_print(g, r, why, sizeof why);
	fprintf(out, ">\n      <%s", element);
	put_attribute(out, "message", why);
	put_attribute(out, "type", broken ? "fail-if" : "cannot-tell");
	fputs(">", out);
	int err = put_rows(g, r, out);

	fprintf(out, "</%s>\n    </testcase>\n", element);
	return err;
}

/* ---- a suite ---- */

static size_t count(const struct gate *g, uint32_t process, enum gate_outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_results; i++)
		n += g->results[i].process == process && g->results[i].outcome == outcome;
	return n;
}

static void put_head(const struct gate *g, uint32_t process, FILE *out)
{
	const struct gate_process *p = &g->processes[process];
	time_t began = (time_t)(p->started_ns / 1000000000);
	char when[32] = "1970-01-01T00:00:00", pid[16];
	struct tm tm;

	if (gmtime_r(&began, &tm))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(pid, sizeof pid, "%" PRIu32, p->pid);
	fputs("  <testsuite", out);
	put_attribute(out, "name", path_last(p->program));
	fprintf(out, " package=\"mprof\" id=\"%" PRIu32 "\" timestamp=\"%s\"", process, when);
	fprintf(out, " hostname=\"localhost\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
		g->n_conditions, count(g, process, GATE_BROKEN),
		count(g, process, GATE_CANNOT_TELL));
	fprintf(out, " time=\"%.3f\">\n    <properties>\n      <property name=\"pid\"",
		p->ended_ns > p->started_ns ? (double)(p->ended_ns - p->started_ns) / 1e9 : 0.0);
	put_attribute(out, "value", pid);
	fputs("/>\n      <property name=\"program\"", out);
	put_attribute(out, "value", p->program);
	fputs("/>\n    </properties>\n", out);
}

static void put_runtime(const struct gate *g, uint32_t process, FILE *out)
{
	char text[512];

	if (!gate_runtime_print(g, process, text, sizeof text))
		return;
	put_text(out, text);
	fputc('\n', out);
}

/* Suppressions are counted over all processes; the first suite reports them. */
static void put_suppressions(const struct gate *g, FILE *out)
{
	for (size_t i = 0; i < g->suppressions.n; i++) {
		const struct gate_suppression *s = &g->suppressions.items[i];

		fputs("suppression leak:", out);
		put_text(out, s->pattern);
		fprintf(out, " has matched %" PRIu64 " blocks of %" PRIu64 " bytes\n", s->blocks,
			s->bytes);
	}
}

/* A condition with a misspelt name always passes: warn about it. 0 or -ENOMEM. */
static int put_unmet(const struct gate *g, FILE *out)
{
	for (size_t i = 0; i < g->n_conditions; i++) {
		char *text = NULL;

		if (!gate_is_unmet(g, i))
			continue;
		if (asprintf(&text, GATE_UNMET "\n", g->conditions[i].text) < 0)
			return -ENOMEM;
		put_text(out, text);
		free(text);
	}
	return 0;
}

int gate_print_junit(const struct gate *g, FILE *out)
{
	int err = 0;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (uint32_t i = 0; i < g->n_processes; i++) {
		put_head(g, i, out);
		for (size_t k = 0; k < g->n_results; k++)
			if (!err && g->results[k].process == i)
				err = put_case(g, &g->results[k], out);
		fputs("    <system-out>", out);
		put_runtime(g, i, out);
		if (!i)
			put_suppressions(g, out);
		fputs("</system-out>\n    <system-err>", out);
		if (!i && !err)
			err = put_unmet(g, out);
		fputs("</system-err>\n  </testsuite>\n", out);
	}
	fputs("</testsuites>\n", out);
	return err ? err : stream_error(out);
}
