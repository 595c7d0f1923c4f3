/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/page_internal.h"

#include "base/jsontext.h"
#include "base/memstream.h"
#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "html/rows.h"
#include "html/sink.h"
#include "html/tree.h"
#include "profile/pd_merge.h"
#include "report/growth.h"
#include "report/json_out.h"
#include "report/leaks.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- titles ---- */

/* As in JSON, invalid UTF-8 becomes U+FFFD; and so do characters that are invisible or change the
 * direction of text. */
static char *clean(const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *text = malloc(strlen(s) * strlen(replacement) + 1), *end = text;

	if (!text)
		return NULL;
	while (*s) {
		size_t n = printable_utf8(s);

		if (n && !printable_unseen(printable_decode(s, n)))
			end = mempcpy(end, s, n);
		else
			end = mempcpy(end, replacement, strlen(replacement));
		s += n ? n : 1;
	}
	*end = '\0';
	return text;
}

/* The last component of the program's name, or "?". NULL: out of memory. */
static char *program_of(const struct profile_data *d)
{
	const char *program = d->command && d->command[0] ? path_last(d->command[0]) : "";

	return clean(*program ? program : "?");
}

/* The beginning of its arguments, which tells processes of one program apart. NULL: out of
 * memory. */
static char *arguments_of(const struct profile_data *d)
{
	enum { ENOUGH = 300 };
	char *joined = NULL, *text = NULL;
	size_t len;
	FILE *f = memstream_open(&joined, &len);

	if (!f)
		return NULL;
	int printed = 0;
	for (size_t i = 1; d->command && d->command[0] && d->command[i] && printed < ENOUGH; i++)
		printed += fprintf(f, "%s%.*s", i > 1 ? " " : "", ENOUGH + 1, d->command[i]);
	if (!fclose(f)) {
		size_t end = len < ENOUGH ? len : ENOUGH;

		/* Do not cut within a UTF-8 character. */
		while (end && (joined[end] & 0xc0) == 0x80)
			end--;
		joined[end] = '\0';
		text = clean(joined);
	}
	free(joined);
	return text;
}

char *page_title(const struct profile_data *d)
{
	char *name = program_of(d), *title = NULL;

	if (!name || pd_merge_count(d))
		return name;
	if (asprintf(&title, "%s (pid %" PRIu32 ")", name, d->pid) < 0)
		title = NULL;
	free(name);
	return title;
}

/* Escape text for HTML. */
static void put_escaped(const char *s, FILE *out)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*s, out);
		}
	}
}

static const char *title_in(const struct page_body *b, size_t i)
{
	return json_string_value(json_object_get(json_array_get(b->profiles, i), "title"));
}

static void put_title(const struct page_body *b, FILE *out)
{
	const size_t n = json_array_size(b->profiles) + b->missing;

	put_escaped(title_in(b, 0), out);
	if (b->growth) {
		fputs(" since ", out);
		put_escaped(title_in(b, 1), out);
	} else if (n > 1) {
		fprintf(out, " and %zu more", n - 1);
	}
	fputs(" - mprof", out);
}

/* ---- script elements with data ---- */

/* The content of a block as JSON. put() returns 0 or -errno. */
struct content {
	int (*put)(const struct content *c, FILE *out);
	const struct page_body *body;
	const struct growth_sides *growth;
	struct profile_data *const *d;
	const struct report_options *o;
	const struct tree *tree;
};

/* @number: of the profile; -1: not of a profile. */
static int put_block(const char *id, int64_t number, const struct content *c, FILE *out)
{
	FILE *sink = sink_open(out);

	if (!sink)
		return -ENOMEM;
	fprintf(out, "<script type=\"application/x-mprof\" id=\"mprof-%s", id);
	if (number >= 0)
		fprintf(out, "-%" PRId64, number);
	fputs("\">", out);
	int written = c->put(c, sink), lost = stream_close(sink);
	fputs("</script>\n", out);
	int err = stream_error(out); /* the sink does not tell which error it was */
	return err ? err : written ? written : lost;
}

static int put_report(const struct content *c, FILE *out)
{
	return report_json_short(*c->d, c->o, out);
}

static int put_tree(const struct content *c, FILE *out)
{
	return tree_json(c->tree, out);
}

static int put_rows(const struct content *c, FILE *out)
{
	return rows_json(c->tree, c->o, out);
}

static int put_growth(const struct content *c, FILE *out)
{
	return report_growth_json(c->growth, c->d[0], c->d[1], out);
}

/* The age of the process at the profile's end; NULL: unknown. */
static json_t *until(const struct profile_data *d)
{
	uint64_t ns = d->n_series ? d->series[d->n_series - 1].time_ns : 0;

	if (d->ended_ns > d->started_ns)
		ns = d->ended_ns - d->started_ns;
	return ns ? json_out_num(ns) : NULL;
}

/* When the process began; NULL: unknown. */
static json_t *began(const struct profile_data *d)
{
	return d->started_ns ? json_integer((json_int_t)d->started_ns) : NULL;
}

/* The figures of a profile in the list of several. */
static json_t *figures(const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;

	return json_pack("{so so so so so}", "allocs", json_out_num(t->allocs), "alloc_bytes",
			 json_out_num(t->alloc_bytes), "kept_objects",
			 json_out_num(t->allocs - t->frees), "kept_bytes",
			 json_out_num(t->alloc_bytes - t->free_bytes), "peak_bytes",
			 json_out_num(t->peak_bytes));
}

json_t *page_entry(const struct profile_data *d, size_t number)
{
	char *title = page_title(d), *program = program_of(d), *arguments = arguments_of(d);
	json_t *entry =
		title && program && arguments
			? json_pack("{ss ss ss sI so so so so so* so*}", "title", title, "program",
				    program, "arguments", arguments, "pid", (json_int_t)d->pid,
				    "totals", figures(d),
				    "report", json_sprintf("mprof-report-%zu", number), "tree",
				    json_sprintf("mprof-tree-%zu", number), "rows",
				    json_sprintf("mprof-rows-%zu", number), "started_ns", began(d),
				    "until_ns", until(d))
			: NULL;

	free(title);
	free(program);
	free(arguments);
	return entry;
}

static int put_index(const struct content *c, FILE *out)
{
	const struct page_body *b = c->body;
	json_t *missing = b->missing ? json_integer((json_int_t)b->missing) : NULL;
	json_t *index = json_pack("{ss ss sO ss* ss* so*}", "schema", "mprof.page.v1", "version",
				  MPROF_VERSION, "profiles", b->profiles, "at",
				  b->o->at_peak ? "peak" : NULL, "growth",
				  b->growth ? "mprof-growth" : NULL, "missing", missing);

	return json_text_put(index, JSON_COMPACT, out);
}

int page_put_profile(struct profile_data *d, size_t number, const struct report_options *o,
		     const uint64_t *same, FILE *out)
{
	struct tree *tree;
	int err = tree_new(d, o->own_code, &tree);

	if (err)
		return err;
	if (same)
		tree_number(tree, same);
	const struct content report = {.put = put_report, .d = &d, .o = o};
	const struct content nodes = {.put = put_tree, .tree = tree};
	const struct content rows = {.put = put_rows, .o = o, .tree = tree};

	err = put_block("report", (int64_t)number, &report, out);
	if (!err)
		err = put_block("tree", (int64_t)number, &nodes, out);
	if (!err)
		err = put_block("rows", (int64_t)number, &rows, out);
	tree_free(tree);
	return err;
}

/* ---- the template ---- */

/* Write the template up to a mark. Returns what follows the mark. */
static const char *put_until(const char *rest, const char *end, const char *mark, FILE *out)
{
	const char *at = memmem(rest, (size_t)(end - rest), mark, strlen(mark));

	fwrite(rest, 1, (size_t)(at - rest), out);
	return at + strlen(mark);
}

int page_write_body(const struct page_template *t, const struct page_body *b, FILE *out)
{
	const char *end = t->text + t->len;
	const struct content index = {.put = put_index, .body = b};

	if (!template_has_marks(t))
		return -EINVAL;
	const char *rest = put_until(t->text, end, TITLE_MARK, out);
	put_title(b, out);
	rest = put_until(rest, end, DATA_MARK, out);
	int err = stream_error(out);
	if (!err)
		err = put_block("index", -1, &index, out);
	if (!err)
		err = b->put(b->ctx, out);
	fwrite(rest, 1, (size_t)(end - rest), out);
	return err ? err : stream_flush(out);
}

/* ---- profiles that are all in memory ---- */

/* The profiles of a page. */
struct subject {
	struct profile_data *const *d;
	size_t n;
	const struct growth_sides *growth; /* changes of the first since the second; NULL: no
					      difference */
	const struct report_options *o;
};

static int put_all(void *ctx, FILE *out)
{
	const struct subject *s = ctx;
	const struct growth_sides *g = s->growth;
	const struct content growth = {.put = put_growth, .growth = g, .d = s->d};
	int err = g ? put_block("growth", -1, &growth, out) : 0;

	for (size_t i = 0; !err && i < s->n; i++)
		err = page_put_profile(s->d[i], i, s->o,
				       !g ? NULL : i ? g->now.of_base : g->now.of_now, out);
	return err;
}

static int write_subject(const struct page_template *t, struct subject *s, FILE *out)
{
	struct page_body b = {.profiles = json_array(), .growth = s->growth, .o = s->o,
			      .put = put_all, .ctx = s};
	int err = b.profiles ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < s->n; i++)
		err = json_array_append_new(b.profiles, page_entry(s->d[i], i)) ? -ENOMEM : 0;
	if (!err)
		err = page_write_body(t, &b, out);
	json_decref(b.profiles);
	return err;
}

int page_write(const struct page_template *t, struct profile_data *const *d, size_t n,
	       const struct report_options *o, FILE *out)
{
	return write_subject(t, &(struct subject){d, n, NULL, o}, out);
}

int page_write_growth(const struct page_template *t, struct profile_data *now,
		      struct profile_data *base, const struct report_options *o, FILE *out)
{
	struct profile_data *const d[] = {now, base};
	struct growth_sides g;
	int err = growth_sides_find(&g, leaks_key_of(o), now, base);

	if (!err)
		err = write_subject(t, &(struct subject){d, 2, &g, o}, out);
	growth_sides_release(&g);
	return err;
}
