/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of conditions, for people. */
#include "base/printable.h"
#include "base/saturate.h"
#include "base/stream.h"
#include "base/text.h"
#include "gate/gate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "240 bytes", "between 0 and 240 bytes", "at least 12 bytes", "an unknown number of bytes" */
static void print_value(enum gate_figure figure, const struct gate_bounds *is, char *text,
			size_t size)
{
	const char *unit = gate_figure_unit(figure, is->low == is->high ? is->low : 2);

	if (is->low == is->high)
		snprintf(text, size, "%" PRIu64 " %s", is->low, unit);
	else if (!is->low && is->high == UINT64_MAX)
		snprintf(text, size, "an unknown number of %s", unit);
	else if (is->high == UINT64_MAX)
		snprintf(text, size, "at least %" PRIu64 " %s", is->low, unit);
	else
		snprintf(text, size, "between %" PRIu64 " and %" PRIu64 " %s", is->low, is->high,
			 unit);
}

/* True for "is", false for "are". */
static bool is_one(const struct gate_bounds *is)
{
	return (is->low == 1 && is->high == 1) || (!is->low && is->high == UINT64_MAX);
}

void gate_result_print(const struct gate *g, const struct gate_result *r, char *text, size_t size)
{
	const struct gate_condition *c = &g->conditions[r->condition];
	char now[128], base[160] = "", doubts[512];

	print_value(c->figure, &r->now.is, now, sizeof now);
	if (c->measure != GATE_ABSOLUTE) {
		snprintf(base, sizeof base, ", and in the base ");
		print_value(c->figure, &r->base.is, base + sizeof ", and in the base " - 1,
			    sizeof base - sizeof ", and in the base ");
	}
	gate_doubts_print(r->now.doubts | r->base.doubts, doubts, sizeof doubts);
	snprintf(text, size, "there %s %s%s%s%s",
		 is_one(&r->now.is) ? "is" : "are", now, base,
		 *doubts ? ": " : "", doubts);
}

/* The first condition whose figure excludes what the runtime keeps; NULL: none. */
static const struct gate_condition *sparing(const struct gate *g)
{
	for (size_t i = 0; i < g->n_conditions; i++)
		if (gate_spares_runtime(g->conditions[i].figure))
			return &g->conditions[i];
	return NULL;
}

bool gate_runtime_print(const struct gate *g, uint32_t process, char *text, size_t size)
{
	const struct gate_condition *c = sparing(g);
	struct pd_sum all;
	char kinds[256];

	all = runtime_sum(g->processes[process].runtime, kinds, sizeof kinds);
	if (!c || !all.blocks)
		return false;
	snprintf(text, size,
		 "--fail-if=%s does not count %" PRIu64 " byte%s in %" PRIu64
		 " block%s that the runtime keeps (%s): unfreed does",
		 gate_figure_name(c->figure), all.bytes, text_plural(all.bytes), all.blocks,
		 text_plural(all.blocks), kinds);
	return true;
}

/* Print an untrusted name, escaped. */
static void put_name(const char *name, FILE *out)
{
	while (*name)
		name = printable_put(out, name);
}

int gate_rows_print(const struct gate *g, const struct gate_result *r, FILE *out)
{
	const struct gate_condition *c = &g->conditions[r->condition];
	const char *sign = c->measure == GATE_ABSOLUTE ? "" : "+";

	for (size_t i = 0; i < r->rows.n; i++) {
		const struct gate_row *row = &r->rows.items[i];
		char value[32];

		snprintf(value, sizeof value, "%s%" PRId64, row->value > 0 ? sign : "", row->value);
		fprintf(out, "  %14s %-8s  ", value, gate_figure_unit(c->figure, row->value == 1));
		put_name(row->path, out);
		if (row->file) {
			fputs("  ", out);
			put_name(row->file, out);
			if (row->line)
				fprintf(out, ":%" PRIu32, row->line);
		}
		fputc('\n', out);
	}
	if (r->rows.n_all > r->rows.n)
		fprintf(out, "  and %zu more path%s\n", r->rows.n_all - r->rows.n,
			r->rows.n_all - r->rows.n == 1 ? "" : "s");
	return stream_error(out);
}

/* ---- all processes ---- */

/* Least width of a condition's column. */
enum { COLUMN = 14 };

static int width_of(const struct gate_condition *c)
{
	int n = (int)strlen(c->text);

	return n < COLUMN ? COLUMN : n;
}

/* "240 !", "0-240 ?" */
static void put_cell(const struct gate_condition *c, const struct gate_bounds *is, char mark,
		     FILE *out)
{
	char text[64];

	if (is->low == is->high)
		snprintf(text, sizeof text, "%" PRIu64, is->low);
	else if (is->high == UINT64_MAX)
		snprintf(text, sizeof text, "%" PRIu64 "-", is->low);
	else
		snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, is->low, is->high);
	fprintf(out, "  %*s %c", width_of(c), text, mark);
}

static void put_process(const struct gate *g, uint32_t process, FILE *out)
{
	const struct gate_process *p = &g->processes[process];

	fprintf(out, "%8" PRIu32, p->pid);
	for (size_t i = 0; i < g->n_results; i++) {
		const struct gate_result *r = &g->results[i];

		if (r->process == process)
			put_cell(&g->conditions[r->condition], &r->now.is, " !?"[r->outcome], out);
	}
	fputs("  ", out);
	put_name(p->program, out);
	fputc('\n', out);
}

/* A sum of peaks means nothing: they were at different times. */
static void put_all(const struct gate *g, FILE *out)
{
	fprintf(out, "%8s", "all");
	for (uint32_t k = 0; k < g->n_conditions; k++) {
		struct gate_bounds sum = {0};

		for (size_t i = 0; i < g->n_results; i++) {
			const struct gate_bounds *is = &g->results[i].now.is;

			if (g->results[i].condition != k)
				continue;
			saturate_add(&sum.low, is->low);
			saturate_add(&sum.high, is->high);
		}
		if (g->conditions[k].figure == GATE_PEAK)
			fprintf(out, "  %*s  ", width_of(&g->conditions[k]), "-");
		else
			put_cell(&g->conditions[k], &sum, ' ', out);
	}
	fprintf(out, "  %zu processes\n", g->n_processes);
}

int gate_table_print(const struct gate *g, FILE *out)
{
	fprintf(out, "%8s", "process");
	for (size_t i = 0; i < g->n_conditions; i++) {
		const char *text = g->conditions[i].text;

		fprintf(out, "  %*s", width_of(&g->conditions[i]) - (int)strlen(text), "");
		put_name(text, out);
		fputs("  ", out);
	}
	fputs("  program\n", out);
	for (uint32_t i = 0; i < g->n_processes; i++)
		put_process(g, i, out);
	put_all(g, out);
	return stream_error(out);
}
