/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/lines.h"

#include "base/jsontext.h"
#include "base/printable.h"
#include "report/json_out.h"
#include "top/columns.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Escaped, so that a name can neither break the line nor control the terminal. */
static void put_text(const char *text, FILE *out)
{
	while (*text)
		text = printable_put(out, text);
}

/* "-" if it is not known yet. Returns @text. */
static const char *print_rate(const struct top_head *h, double value, char text[24])
{
	snprintf(text, 24, "-");
	if (h->has_rates)
		snprintf(text, 24, "%.1f", value);
	return text;
}

/* "-" if it did not run, or was not observed. */
static const char *slowdown(const struct top_head *h, char text[24])
{
	if (h->slowdown <= 0)
		return "-";
	snprintf(text, 24, "%.2f", h->slowdown);
	return text;
}

static const char *state_of(const struct top_head *h)
{
	return h->suspended ? "suspended" : "tracing";
}

static const char *engine_of(const struct top_head *h)
{
	return h->fast ? "fast" : "trap";
}

static void print_process(const struct top_head *h, FILE *out)
{
	if (h->rss_kib)
		fprintf(out, "RSS %" PRIu64 " KiB, %" PRIu64 " thread%s; ", h->rss_kib, h->threads,
			h->threads == 1 ? "" : "s");
}

/* True if the user will wonder why it is slow. The slowdown of a program with few calls does not
 * matter. */
static bool is_slow(const struct top_head *h)
{
	enum { FEW = 1000 };

	return h->slowdown > 2 && h->allocs_per_s + h->frees_per_s > FEW;
}

/* Prints a line, if there is advice. */
static void print_advice(const struct top_head *h, FILE *out)
{
	if (is_slow(h) && h->fast_slowdown > 0 && h->fast_slowdown < h->slowdown)
		fprintf(out,
			"traps make it that slow: with --engine=fast the slowdown would be about "
			"%.1f\n",
			h->fast_slowdown);
}

void top_print_head(const struct top_head *h, const char *name, FILE *out)
{
	char a[24], f[24], b[24], s[24];

	fprintf(out, "process %" PRIu64 " (", h->pid);
	put_text(name, out);
	fprintf(out, "), %.1f s, %s, engine %s, ", h->seconds, state_of(h), engine_of(h));
	fprintf(out, "tracer busy %s %%, slowdown %s\n", print_rate(h, h->busy_percent, b),
		slowdown(h, s));
	fprintf(out,
		"live %" PRIu64 " bytes in %" PRIu64 " blocks; %s allocations/s, %s frees/s%s\n",
		h->live_bytes, h->live_blocks, print_rate(h, h->allocs_per_s, a),
		print_rate(h, h->frees_per_s, f),
		is_slow(h) ? " at the slowed pace" : "");
	print_process(h, out);
	fprintf(out,
		"truncated chains %" PRIu64 ", unknown frees %" PRIu64 ", events lost %" PRIu64,
		h->truncated, h->unknown_frees, h->lost);
	if (h->left_out)
		fprintf(out, "; not in rows: %" PRIu64 " of the lightest", h->left_out);
	fputc('\n', out);
	print_advice(h, out);
}

/* ---- columns ---- */

/* A column in front of a row's name. */
struct column {
	const char *head;
	int width;
	int sort; /* enum top_sort; TOP_SORTS: rows cannot be sorted by it; NO_MARK: and there is no
		     room for the '*' */
	unsigned least; /* if there is no room, the highest number is dropped first; 0: never */
	size_t number; /* offset of its uint64_t in struct top_row */
	/* Used instead if it is not a plain number. */
	void (*print)(const struct top_head *h, const struct top_row *r, char text[24]);
};

enum { NO_MARK = -1 };

static void print_growth(const struct top_head *h, const struct top_row *r, char text[24])
{
	snprintf(text, 24, "-");
	if (h->has_rates)
		snprintf(text, 24, "%s%" PRId64, r->growth > 0 ? "+" : "", r->growth);
}

static void print_allocs_rate(const struct top_head *h, const struct top_row *r, char text[24])
{
	print_rate(h, r->allocs_per_s, text);
}

static void print_frees_rate(const struct top_head *h, const struct top_row *r, char text[24])
{
	print_rate(h, r->frees_per_s, text);
}

static void print_thread(const struct top_head *h, const struct top_row *r, char text[24])
{
	(void)h;
	snprintf(text, 24, "-");
	if (r->size)
		snprintf(text, 24, "%" PRIu64, r->size);
}

enum { COLUMNS_MOST = 7 };

#define OF(number) offsetof(struct top_row, number)

static const struct column columns_of_sites[] = {
	{"live bytes", 13, TOP_LIVE, 0, OF(live_bytes), NULL},
	{"blocks", 11, NO_MARK, 4, OF(live_blocks), NULL},
	{"growth", 12, TOP_GROWTH, 1, 0, print_growth},
	{"allocs/s", 10, TOP_ALLOCS, 2, 0, print_allocs_rate},
	{"temporary", 10, TOP_TEMPORARY, 5, OF(temporary), NULL},
};
static const struct column columns_of_sizes[] = {
	{"live bytes", 13, TOP_LIVE, 0, OF(live_bytes), NULL},
	{"blocks", 11, NO_MARK, 4, OF(live_blocks), NULL},
	{"growth", 12, TOP_GROWTH, 1, 0, print_growth},
	{"allocs/s", 10, TOP_ALLOCS, 2, 0, print_allocs_rate},
	{"size", 12, TOP_SORTS, 0, OF(size), NULL},
};
static const struct column columns_of_threads[] = {
	{"bytes requested", 15, TOP_LIVE, 0, OF(alloc_bytes), NULL},
	{"requests", 10, NO_MARK, 4, OF(allocs), NULL},
	{"frees", 10, NO_MARK, 5, OF(frees), NULL},
	{"new bytes", 11, TOP_GROWTH, 1, 0, print_growth},
	{"allocs/s", 9, TOP_ALLOCS, 2, 0, print_allocs_rate},
	{"frees/s", 9, NO_MARK, 3, 0, print_frees_rate},
	{"thread", 8, TOP_SORTS, 0, 0, print_thread},
};

static const struct {
	const struct column *v;
	size_t n;
	const char *name;
} kinds[TOP_BYS] = {
	[TOP_SITES] = {columns_of_sites, sizeof columns_of_sites / sizeof *columns_of_sites,
		       "call site"},
	[TOP_SIZES] = {columns_of_sizes, sizeof columns_of_sizes / sizeof *columns_of_sizes,
		       "type"},
	[TOP_THREADS] = {columns_of_threads, sizeof columns_of_threads / sizeof *columns_of_threads,
			 "name"},
};

static int width_of(const struct column *c)
{
	return c->width + 1 + (c->sort != NO_MARK);
}

/* The index of the column to drop next: shown, and not the one that rows are sorted by. The number
 * of columns if none can be dropped. */
static size_t least_of(const struct top_how *how, const bool *shown)
{
	const struct column *v = kinds[how->by].v;
	size_t n = kinds[how->by].n, least = n;

	for (size_t i = 0; i < n; i++)
		if (shown[i] && v[i].least && v[i].sort != (int)how->sort &&
		    (least == n || v[i].least > v[least].least))
			least = i;
	return least;
}

/* The name matters most: drop columns until there is room for it. Returns its width; 0:
 * unlimited. */
static int choose_columns(const struct top_how *how, int columns, bool shown[COLUMNS_MOST])
{
	enum { NAME_LEAST = 28 };
	size_t n = kinds[how->by].n;
	int left = columns;

	for (size_t i = 0; i < n; i++) {
		left -= width_of(&kinds[how->by].v[i]);
		shown[i] = true;
	}
	while (columns && left < NAME_LEAST) {
		size_t least = least_of(how, shown);

		if (least == n)
			break;
		shown[least] = false;
		left += width_of(&kinds[how->by].v[least]);
	}
	return !columns ? 0 : left > 0 ? left : 1;
}

static void print_value(const struct column *c, const struct top_head *h, const struct top_row *r,
			char text[24])
{
	uint64_t n;

	if (c->print) {
		c->print(h, r, text);
		return;
	}
	memcpy(&n, (const char *)r + c->number, sizeof n);
	snprintf(text, 24, "%" PRIu64, n);
}

/* Print @text in a column. */
static void print_column(const struct column *c, const char *text, bool marked, FILE *out)
{
	fprintf(out, "%*s%s ", c->width, text, c->sort == NO_MARK ? "" : marked ? "*" : " ");
}

void top_print_columns(const struct top_how *how, int columns, FILE *out)
{
	bool shown[COLUMNS_MOST] = { false };

	choose_columns(how, columns, shown);
	for (size_t i = 0; i < kinds[how->by].n; i++) {
		const struct column *c = &kinds[how->by].v[i];

		if (shown[i])
			print_column(c, c->head, c->sort == (int)how->sort, out);
	}
	fprintf(out, "%s\n", kinds[how->by].name);
}

/* Print a name in so many columns; 0: unlimited. If it has callers, the end is cut: the outermost
 * matter least. */
static void print_name(const char *name, const struct top_how *how, int columns, FILE *out)
{
	bool callers = how->by == TOP_SITES && how->depth > 1;
	char *shorter = !columns  ? NULL
			: callers ? top_cut(name, columns)
				  : top_shorten(name, columns);

	if (shorter)
		fputs(shorter, out);
	else
		put_text(name, out);
	free(shorter);
}

void top_print_row(const struct top_head *h, const struct top_how *how, const struct top_row *r,
		   int columns, FILE *out)
{
	bool shown[COLUMNS_MOST] = { false };
	int left = choose_columns(how, columns, shown);
	char text[24];

	for (size_t i = 0; i < kinds[how->by].n; i++) {
		const struct column *c = &kinds[how->by].v[i];

		if (!shown[i])
			continue;
		print_value(c, h, r, text);
		print_column(c, text, false, out);
	}
	print_name(how->by == TOP_SIZES && !*r->name ? "(type not known)" : r->name, how, left,
		   out);
	fputc('\n', out);
}

/* ---- JSON ---- */

static json_t *rate_json(const struct top_head *h, double value)
{
	return h->has_rates ? json_real(value) : json_null();
}

static json_t *growth_json(const struct top_head *h, const struct top_row *r)
{
	return h->has_rates ? json_integer(r->growth) : json_null();
}

/* NULL: out of memory. */
static json_t *thread_json(const struct top_head *h, const struct top_row *r)
{
	return json_pack("{so so so so so so so so so}", "thread", json_out_num(r->size), "name",
			 *r->name ? json_text(r->name) : json_null(), "allocations",
			 json_out_num(r->allocs), "allocated_bytes", json_out_num(r->alloc_bytes),
			 "frees", json_out_num(r->frees), "freed_bytes",
			 json_out_num(r->free_bytes), "allocations_per_second",
			 rate_json(h, r->allocs_per_s), "frees_per_second",
			 rate_json(h, r->frees_per_s), "new_bytes", growth_json(h, r));
}

/* NULL: out of memory. */
static json_t *row_json(const struct top_head *h, const struct top_how *how,
			const struct top_row *r)
{
	json_t *o = json_pack("{so so so so so}", "live_bytes", json_out_num(r->live_bytes),
			      "live_blocks", json_out_num(r->live_blocks), "allocations",
			      json_out_num(r->allocs), "allocations_per_second",
			      rate_json(h, r->allocs_per_s), "growth_bytes", growth_json(h, r));
	bool sizes = how->by == TOP_SIZES;
	int err = !o || json_object_set_new(o, sizes ? "size" : "temporary_blocks",
					    json_out_num(sizes ? r->size : r->temporary));

	err |= json_object_set_new(o, sizes ? "types" : "site", json_text(r->name));
	if (!err)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *rows_json(const struct top_head *h, const struct top_how *how,
			 const struct top_rows *rows, size_t max)
{
	json_t *list = json_array();
	size_t n = max && max < rows->n ? max : rows->n;

	for (size_t i = 0; list && i < n; i++)
		if (json_array_append_new(list, how->by == TOP_THREADS
							? thread_json(h, &rows->v[i])
							: row_json(h, how, &rows->v[i]))) {
			json_decref(list);
			list = NULL;
		}
	return list;
}

static json_t *head_json(const struct top_head *h, const char *name)
{
	return json_pack("{so so sf ss ss so so so so so so so so so so so}", "pid",
			 json_out_num(h->pid), "command", json_text(name), "seconds", h->seconds,
			 "state", state_of(h), "engine", engine_of(h), "tracer_busy_percent",
			 rate_json(h, h->busy_percent), "slowdown",
			 h->slowdown > 0 ? json_real(h->slowdown) : json_null(), "live_bytes",
			 json_out_num(h->live_bytes), "live_blocks", json_out_num(h->live_blocks),
			 "allocations", json_out_num(h->allocs), "frees", json_out_num(h->frees),
			 "allocations_per_second", rate_json(h, h->allocs_per_s),
			 "frees_per_second", rate_json(h, h->frees_per_s), "truncated_chains",
			 json_out_num(h->truncated), "unknown_frees",
			 json_out_num(h->unknown_frees), "events_lost", json_out_num(h->lost));
}

/* Unknown values are left out. */
static json_t *process_json(const struct top_head *h)
{
	if (!h->rss_kib)
		return json_pack("{so so}", "rss_bytes", json_null(), "threads", json_null());
	return json_pack("{so so}", "rss_bytes", json_out_num(h->rss_kib * 1024), "threads",
			 json_out_num(h->threads));
}

json_t *top_json(const struct top_head *h, const char *name, const struct top_how *how,
		 const struct top_rows *rows, size_t max)
{
	json_t *o = head_json(h, name), *process = process_json(h);
	int err = !o || !process || json_object_update(o, process);

	json_decref(process);
	err |= json_object_set_new(o, "not_in_rows", json_out_num(h->left_out));
	err |= json_object_set_new(o, "by", json_string(top_by_words[how->by]));
	err |= json_object_set_new(o, "sort", json_string(top_sort_words[how->sort]));
	err |= json_object_set_new(o, "rows", rows_json(h, how, rows, max));
	if (!err)
		return o;
	json_decref(o);
	return NULL;
}
