/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/lines.h"

#include "base/jsontext.h"
#include "base/printable.h"

#include <inttypes.h>

/* ---- text ---- */

/* What a program calls something makes no line, and steers no terminal. */
static void put_text(const char *text, FILE *out)
{
	while (*text)
		text = printable_put(out, text);
}

/* What is not known yet is no 0. */
static const char *rate(const struct top_head *h, double value, char text[24])
{
	if (!h->has_rates)
		return "-";
	snprintf(text, 24, "%.1f", value);
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

void top_print_head(const struct top_head *h, const char *name, FILE *out)
{
	char a[24], f[24], b[24];

	fprintf(out, "process %" PRIu64 " (", h->pid);
	put_text(name, out);
	fprintf(out, "), %.1f s, %s, engine %s, ", h->seconds, state_of(h), engine_of(h));
	fprintf(out, "tracer busy %s %%\n", rate(h, h->busy_percent, b));
	fprintf(out, "live %" PRIu64 " bytes in %" PRIu64 " blocks; %s allocations/s, %s frees/s\n",
		h->live_bytes, h->live_blocks, rate(h, h->allocs_per_s, a),
		rate(h, h->frees_per_s, f));
	print_process(h, out);
	fprintf(out,
		"truncated chains %" PRIu64 ", unknown frees %" PRIu64 ", events lost %" PRIu64,
		h->truncated, h->unknown_frees, h->lost);
	if (h->left_out)
		fprintf(out, "; not in rows: %" PRIu64 " of the lightest", h->left_out);
	fputc('\n', out);
}

static char mark(const struct top_how *how, enum top_sort sort)
{
	return how->sort == sort ? '*' : ' ';
}

void top_print_columns(const struct top_how *how, FILE *out)
{
	fprintf(out, "%13s%c %11s %12s%c %10s%c ", "live bytes", mark(how, TOP_LIVE), "blocks",
		"growth", mark(how, TOP_GROWTH), "allocs/s", mark(how, TOP_ALLOCS));
	if (how->by == TOP_SIZES)
		fprintf(out, "%12s  type\n", "size");
	else
		fprintf(out, "%10s%c call site\n", "temporary", mark(how, TOP_TEMPORARY));
}

void top_print_row(const struct top_head *h, const struct top_how *how, const struct top_row *r,
		   FILE *out)
{
	char growth[24] = "-", allocs[24];

	if (h->has_rates)
		snprintf(growth, sizeof growth, "%s%" PRId64, r->growth > 0 ? "+" : "", r->growth);
	fprintf(out, "%13" PRIu64 "  %11" PRIu64 " %12s  %10s  ", r->live_bytes, r->live_blocks,
		growth, rate(h, r->allocs_per_s, allocs));
	fprintf(out, how->by == TOP_SIZES ? "%12" PRIu64 "  " : "%10" PRIu64 "  ",
		how->by == TOP_SIZES ? r->size : r->temporary);
	put_text(r->name, out);
	fputc('\n', out);
}

/* ---- JSON ---- */

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *rate_json(const struct top_head *h, double value)
{
	return h->has_rates ? json_real(value) : json_null();
}

/* NULL: out of memory. */
static json_t *row_json(const struct top_head *h, const struct top_how *how,
			const struct top_row *r)
{
	json_t *o =
		json_pack("{so so so so so}", "live_bytes", number(r->live_bytes), "live_blocks",
			  number(r->live_blocks), "allocations", number(r->allocs),
			  "allocations_per_second", rate_json(h, r->allocs_per_s), "growth_bytes",
			  h->has_rates ? json_integer(r->growth) : json_null());
	bool sizes = how->by == TOP_SIZES;
	int err = !o || json_object_set_new(o, sizes ? "size" : "temporary_blocks",
					    number(sizes ? r->size : r->temporary));

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
		if (json_array_append_new(list, row_json(h, how, &rows->v[i]))) {
			json_decref(list);
			list = NULL;
		}
	return list;
}

static json_t *head_json(const struct top_head *h, const char *name)
{
	return json_pack("{so so sf ss ss so so so so so so so so so so}", "pid", number(h->pid),
			 "command", json_text(name), "seconds", h->seconds, "state", state_of(h),
			 "engine", engine_of(h), "tracer_busy_percent",
			 rate_json(h, h->busy_percent), "live_bytes", number(h->live_bytes),
			 "live_blocks", number(h->live_blocks), "allocations", number(h->allocs),
			 "frees", number(h->frees), "allocations_per_second",
			 rate_json(h, h->allocs_per_s), "frees_per_second",
			 rate_json(h, h->frees_per_s), "truncated_chains", number(h->truncated),
			 "unknown_frees", number(h->unknown_frees), "events_lost", number(h->lost));
}

/* What is not known is not there. */
static json_t *process_json(const struct top_head *h)
{
	if (!h->rss_kib)
		return json_pack("{so so}", "rss_bytes", json_null(), "threads", json_null());
	return json_pack("{so so}", "rss_bytes", number(h->rss_kib * 1024), "threads",
			 number(h->threads));
}

json_t *top_json(const struct top_head *h, const char *name, const struct top_how *how,
		 const struct top_rows *rows, size_t max)
{
	json_t *o = head_json(h, name), *process = process_json(h);
	int err = !o || !process || json_object_update(o, process);

	json_decref(process);
	err |= json_object_set_new(o, "not_in_rows", number(h->left_out));
	err |= json_object_set_new(o, "by", json_string(top_by_words[how->by]));
	err |= json_object_set_new(o, "sort", json_string(top_sort_words[how->sort]));
	err |= json_object_set_new(o, "rows", rows_json(h, how, rows, max));
	if (!err)
		return o;
	json_decref(o);
	return NULL;
}
