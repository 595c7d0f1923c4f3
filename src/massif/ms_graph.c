/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/ms_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels ---- */

/* Five columns: three decimals below 10, two below 100, one above; a value below 1000 unchanged. */
static void scale(struct ms_label *l, uint64_t value, double scaled)
{
	if (value < 1000)
		snprintf(l->text, sizeof l->text, "%5u", (unsigned)value);
	else
		snprintf(l->text, sizeof l->text, "%5.*f",
			 scaled < 10	? 3
			 : scaled < 100 ? 2
					: 1,
			 scaled);
}

static struct ms_label by_1024(uint64_t value, const char *const units[9])
{
	struct ms_label l = { .unit = units[0] };
	double scaled = (double)value;

	for (unsigned i = 1; i < 9 && scaled >= 1000; i++) {
		l.unit = units[i];
		scaled /= 1024;
	}
	scale(&l, value, scaled);
	return l;
}

static struct ms_label of_time(uint64_t ms)
{
	struct ms_label l = { .unit = "ms" };
	double scaled = (double)ms;

	if (scaled >= 1000) {
		l.unit = "s";
		scaled /= 1000;
	}
	if (scaled >= 3600) {
		l.unit = "h";
		scaled /= 3600;
	}
	scale(&l, ms, scaled);
	return l;
}

struct ms_label ms_label(uint64_t value, const char *time_unit)
{
	static const char *const bytes[9] = { "B", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB" };
	static const char *const instructions[9] = { "i", "ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi",
						     "Yi" };

	if (!strcmp(time_unit, "ms"))
		return of_time(value);
	return by_1024(value, strcmp(time_unit, "i") ? bytes : instructions);
}

/* ---- the graph ---- */

struct graph {
	unsigned columns, rows;
	/* Columns 0 to .columns + 1, rows 0 to .rows: row 0 and column 0 are the axes. The last
	 * column is not printed. */
	char *cells;
};

static size_t cells_of(const struct graph *g)
{
	return (size_t)(g->columns + 2) * (g->rows + 1);
}

static char *cell(const struct graph *g, unsigned x, unsigned y)
{
	return &g->cells[(size_t)y * (g->columns + 2) + x];
}

static void draw_axes(struct graph *g)
{
	memset(g->cells, ' ', cells_of(g));
	memset(g->cells, '-', g->columns + 1);
	for (unsigned y = 1; y <= g->rows; y++)
		*cell(g, 0, y) = '|';
	*cell(g, 0, 0) = '+';
	*cell(g, g->columns, 0) = '>';
	*cell(g, 0, g->rows) = '^';
}

static unsigned rank(char c)
{
	return c == '#' ? 3 : c == '@' ? 2 : c == ':' ? 1 : 0;
}

/* True if @total is at least @y / @rows of @highest; as perl computes it, in integers if the height
 * of a row is one. */
static bool reaches(uint64_t total, unsigned y, uint64_t highest, unsigned rows)
{
	double row_bytes = (double)highest / rows;

	if (highest % rows == 0)
		return total >= highest / rows * y;
	if (row_bytes < 0x1p53 && row_bytes == (double)(uint64_t)row_bytes)
		return total >= (unsigned __int128)(uint64_t)row_bytes * y;
	return (double)total >= y * row_bytes;
}

/* Draw the bar of a snapshot; returns the highest row that it reaches. */
static unsigned draw_bar(struct graph *g, unsigned x, uint64_t total, uint64_t highest, char c)
{
	unsigned y = 1;

	for (; y <= g->rows && reaches(total, y, highest, g->rows); y++)
		if (rank(c) >= rank(*cell(g, x, y)))
			*cell(g, x, y) = c;
	return y - 1;
}

static uint64_t total_of(const struct massif_record *s)
{
	return s->useful + s->extra + s->stacks;
}

static void draw_bars(struct graph *g, const struct massif_file *f, uint64_t highest, uint64_t end)
{
	uint64_t peak = massif_file_peak(f);
	unsigned x = 0, top = 0;
	char c = ':';

	for (size_t i = 0; i < f->n_records; i++) {
		const struct massif_record *s = &f->records[i];
		unsigned before = x;

		x = (unsigned)((double)s->time / (double)end * g->columns) + 1;
		/* A time that only rounding makes equal to the end stays in the column that is not
		 * printed. */
		if (s->time == end || x > g->columns + 1)
			x = g->columns;
		for (unsigned between = before + 1; top && between < x; between++)
			*cell(g, between, top) = c;
		c = i == peak ? '#' : s->n ? '@' : ':';
		top = draw_bar(g, x, total_of(s), highest, c);
	}
}

static void print_graph(const struct graph *g, uint64_t highest, uint64_t end,
			const char *time_unit, FILE *out)
{
	struct ms_label up = ms_label(highest, "B"), across = ms_label(end, time_unit);

	fprintf(out, "    %2s\n", up.unit);
	for (unsigned y = g->rows + 1; y-- > 0;) {
		fputs(y == g->rows ? up.text : y ? "     " : "   0 ", out);
		fwrite(cell(g, 0, y), 1, g->columns + 1, out);
		fprintf(out, "%s\n", y ? "" : across.unit);
	}
	fprintf(out, "     0%*s%5s\n", g->columns > 5 ? (int)g->columns - 5 : 0, "", across.text);
}

int ms_graph(const struct massif_file *f, const struct ms_print_options *o, FILE *out)
{
	struct graph g = { o->columns, o->rows, NULL };
	uint64_t highest = 0, end = f->records[f->n_records - 1].time;

	g.cells = malloc(cells_of(&g));
	if (!g.cells)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_records; i++)
		if (total_of(&f->records[i]) > highest)
			highest = total_of(&f->records[i]);
	highest += !highest;
	end += !end;
	draw_axes(&g);
	draw_bars(&g, f, highest, end);
	print_graph(&g, highest, end, f->time_unit, out);
	free(g.cells);
	return 0;
}
