/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof top without the screen. */
#include "cli/top_print.h"

#include "base/clock.h"
#include "base/jsontext.h"
#include "cli/top_signals.h"
#include "top/lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

/* ---- one look ---- */

static void print_text(const struct top_session *s, const struct top_head *h,
		       const struct top_rows *rows)
{
	const struct top_options *o = &s->options->top;

	top_print_head(h, s->name, stdout);
	putchar('\n');
	top_print_columns(&o->how, 0, stdout);
	for (size_t i = 0; i < rows->n && (!o->rows || i < o->rows); i++)
		top_print_row(h, &o->how, &rows->v[i], 0, stdout);
	if (!o->once)
		putchar('\n');
}

static int print_json(const struct top_session *s, const struct top_head *h,
		      const struct top_rows *rows)
{
	const struct top_options *o = &s->options->top;
	json_t *json = top_json(h, s->name, &o->how, rows, o->rows);
	char *line = json_text_dump(json, JSON_COMPACT | JSON_REAL_PRECISION(15));

	json_decref(json);
	if (line)
		puts(line);
	free(line);
	return line ? 0 : -ENOMEM;
}

/* Print a look. False: nobody reads it any more, or an error, which is said. */
static bool print_look(const struct top_session *s, int *status)
{
	const struct top_look *before = s->before.data ? &s->before : NULL;
	const struct top_head h = top_head(&s->now, before);
	struct top_how how = s->options->top.how;
	struct top_rows rows;

	/* Lines leave out rows that JSON has. */
	how.no_zeros = s->options->format != FORMAT_JSON;
	int err = top_rows(&s->now, before, &how, &rows);

	if (!err && s->options->format == FORMAT_JSON)
		err = print_json(s, &h, &rows);
	else if (!err)
		print_text(s, &h, &rows);
	top_rows_release(&rows);
	bool printed = !err && !fflush(stdout);

	if (err)
		say("top: out of memory");
	if (!printed)
		*status = STATUS_FAILED;
	return printed;
}

/* ---- one after another ---- */

/* After the process has ended, only the end of the session can follow. */
static void wait_until(const struct top_session *s, uint64_t ns)
{
	enum { LONGEST_MS = 60000 };
	bool ended = false;

	for (uint64_t now; !ended && !top_told_to_end() && (now = clock_now_ns()) < ns;) {
		uint64_t ms = (ns - now) / 1000000 + 1;

		ended = top_session_wait(s, ms < LONGEST_MS ? (int)ms : LONGEST_MS);
	}
}

/* Wait for a new look. False: there will be none, or we have been told to end. */
static bool await_look(struct top_session *s)
{
	enum { MOMENT_MS = 50 };
	while (!top_told_to_end()) {
		enum top_answer answer = top_session_look(s, s->options->top.how.by);

		if (answer != TOP_NOT_NOW)
			return answer == TOP_LOOKED;
		poll(NULL, 0, MOMENT_MS);
	}
	return false;
}

int top_print(struct top_session *s)
{
	const struct top_options *o = &s->options->top;
	uint64_t interval = (uint64_t)(o->interval * 1e9), next = clock_now_ns() + interval;
	bool looked = await_look(s), printed = false;
	int status = 0;

	/* The first look is only for differences. */
	for (bool goes_on = looked; goes_on; next += interval) {
		wait_until(s, next);
		goes_on = await_look(s);
		if (goes_on) {
			goes_on = print_look(s, &status) && !o->once;
			printed = true;
		}
	}
	if (looked && !printed && !top_told_to_end())
		print_look(s, &status);
	if (s->over)
		say("%s", s->end.text);
	if (looked || top_told_to_end())
		return status;
	return s->refused ? STATUS_FAILED : STATUS_NO_SESSION;
}
