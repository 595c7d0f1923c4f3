/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/page.h"

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

/* As in JSON, what is not UTF-8 is U+FFFD; and so is what a title bar has no picture for. */
static char *clean(const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *text = malloc(strlen(s) * strlen(replacement) + 1), *end = text;

	if (!text)
		return NULL;
	while (*s) {
		size_t n = printable_utf8(s);
		bool control = n == 1 ? *s < ' ' || *s == 0x7f
				      : n == 2 && (unsigned char)s[0] == 0xc2 &&
						(unsigned char)s[1] < 0xa0;

		if (n && !control)
			end = mempcpy(end, s, n);
		else
			end = mempcpy(end, replacement, strlen(replacement));
		s += n ? n : 1;
	}
	*end = '\0';
	return text;
}

/* The last part of the program's name; of a sum that it is one. NULL: out of memory. */
static char *program_of(const struct profile_data *d)
{
	const char *program = d->command && d->command[0] ? path_last(d->command[0]) : "";

	return clean(*program ? program : "?");
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

/* As text of HTML, where nothing is markup. */
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

/* What a page is of. */
struct subject {
	struct profile_data *const *d;
	size_t n;
	const struct growth_sides *growth; /* of the first since the second; NULL: no difference */
	const struct report_options *o;
};

static int put_title(const struct subject *s, FILE *out)
{
	char *title = page_title(s->d[0]), *base = s->growth ? page_title(s->d[1]) : NULL;
	int err = title && !s->growth == !base ? 0 : -ENOMEM;

	if (!err) {
		put_escaped(title, out);
		if (base) {
			fputs(" since ", out);
			put_escaped(base, out);
		} else if (s->n > 1) {
			fprintf(out, " and %zu more", s->n - 1);
		}
		fputs(" - mprof", out);
	}
	free(title);
	free(base);
	return err;
}

/* ---- blocks of data ---- */

/* What the data of all, or of one profile and its tree, is as JSON. 0 or -errno. */
struct content {
	int (*put)(const struct content *c, FILE *out);
	const struct subject *s;
	size_t i; /* the profile */
	const struct tree *tree;
};

/* Why what has been written just now could not be: later nobody knows. 0 or -errno. */
static int why_failed(FILE *out)
{
	return !ferror(out) ? 0 : errno ? -errno : -EIO;
}

/* @number: of the profile; -1: of none. */
static int put_block(const char *id, int64_t number, const struct content *c, FILE *out)
{
	FILE *sink = sink_open(out);

	if (!sink)
		return -ENOMEM;
	fprintf(out, "<script type=\"application/x-mprof\" id=\"mprof-%s", id);
	if (number >= 0)
		fprintf(out, "-%" PRId64, number);
	fputs("\">", out);
	int err = why_failed(out);
	int written = err ? 0 : c->put(c, sink), lost = stream_close(sink);
	fputs("</script>\n", out);
	if (err || written || lost)
		return err ? err : written ? written : lost;
	return why_failed(out);
}

static int put_report(const struct content *c, FILE *out)
{
	return report_json_short(c->s->d[c->i], c->s->o, out);
}

static int put_tree(const struct content *c, FILE *out)
{
	return tree_json(c->tree, out);
}

static int put_rows(const struct content *c, FILE *out)
{
	return rows_json(c->tree, c->s->o, out);
}

static int put_growth(const struct content *c, FILE *out)
{
	return report_growth_json(c->s->growth, c->s->d[0], c->s->d[1], out);
}

/* How far into the process's life the profile goes; NULL: that is not known. */
static json_t *until(const struct profile_data *d)
{
	uint64_t ns = d->n_series ? d->series[d->n_series - 1].time_ns : 0;

	if (d->ended_ns > d->started_ns)
		ns = d->ended_ns - d->started_ns;
	return ns ? json_out_num(ns) : NULL;
}

/* What a list of several profiles shows of each. */
static json_t *figures(const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;

	return json_pack("{so so so so so}", "allocs", json_out_num(t->allocs), "alloc_bytes",
			 json_out_num(t->alloc_bytes), "kept_objects",
			 json_out_num(t->allocs - t->frees), "kept_bytes",
			 json_out_num(t->alloc_bytes - t->free_bytes), "peak_bytes",
			 json_out_num(t->peak_bytes));
}

/* NULL: out of memory. */
static json_t *index_entry(const struct profile_data *d, size_t i)
{
	char *title = page_title(d), *program = program_of(d);
	json_t *entry =
		title && program
			? json_pack("{ss ss sI so so so so so*}", "title", title, "program",
				    program, "pid", (json_int_t)d->pid, "totals", figures(d),
				    "report", json_sprintf("mprof-report-%zu", i), "tree",
				    json_sprintf("mprof-tree-%zu", i), "rows",
				    json_sprintf("mprof-rows-%zu", i), "until_ns", until(d))
			: NULL;

	free(title);
	free(program);
	return entry;
}

static int put_index(const struct content *c, FILE *out)
{
	json_t *list = json_array();
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < c->s->n; i++)
		err = json_array_append_new(list, index_entry(c->s->d[i], i)) ? -ENOMEM : 0;
	json_t *index = json_pack("{ss ss sO ss* ss*}", "schema", "mprof.page.v1", "version",
				  MPROF_VERSION, "profiles", list, "at",
				  c->s->o->at_peak ? "peak" : NULL, "growth",
				  c->s->growth ? "mprof-growth" : NULL);
	if (!err && (!index || json_dumpf(index, out, JSON_COMPACT)))
		err = index && ferror(out) ? why_failed(out) : -ENOMEM;
	json_decref(index);
	json_decref(list);
	return err;
}

/* The blocks of profile number @i. */
static int put_profile(const struct subject *s, size_t i, FILE *out)
{
	struct tree *tree;
	int err = tree_new(s->d[i], s->o->own_code, &tree);

	if (err)
		return err;
	if (s->growth)
		tree_number(tree, i ? s->growth->now.of_base : s->growth->now.of_now);
	const struct content report = {put_report, s, i, tree};
	const struct content nodes = {put_tree, s, i, tree};
	const struct content rows = {put_rows, s, i, tree};

	err = put_block("report", (int64_t)i, &report, out);
	if (!err)
		err = put_block("tree", (int64_t)i, &nodes, out);
	if (!err)
		err = put_block("rows", (int64_t)i, &rows, out);
	tree_free(tree);
	return err;
}

static int put_data(const struct subject *s, FILE *out)
{
	const struct content index = {put_index, s, 0, NULL}, growth = {put_growth, s, 0, NULL};
	int err = put_block("index", -1, &index, out);

	if (!err && s->growth)
		err = put_block("growth", -1, &growth, out);
	for (size_t i = 0; !err && i < s->n; i++)
		err = put_profile(s, i, out);
	return err;
}

/* ---- the template ---- */

/* What is behind a mark in the rest of a template, which is written as far as the mark. */
static const char *put_until(const char *rest, const char *end, const char *mark, FILE *out)
{
	const char *at = memmem(rest, (size_t)(end - rest), mark, strlen(mark));

	fwrite(rest, 1, (size_t)(at - rest), out);
	return at + strlen(mark);
}

static int write_page(const struct page_template *t, const struct subject *s, FILE *out)
{
	const char *end = t->text + t->len;

	if (!template_has_marks(t))
		return -EINVAL;
	errno = 0;
	const char *rest = put_until(t->text, end, TITLE_MARK, out);
	int err = put_title(s, out);
	rest = put_until(rest, end, DATA_MARK, out);
	if (!err)
		err = why_failed(out);
	if (!err)
		err = put_data(s, out);
	fwrite(rest, 1, (size_t)(end - rest), out);
	fflush(out);
	return err ? err : why_failed(out);
}

int page_write(const struct page_template *t, struct profile_data *const *d, size_t n,
	       const struct report_options *o, FILE *out)
{
	return write_page(t, &(struct subject){d, n, NULL, o}, out);
}

int page_write_growth(const struct page_template *t, struct profile_data *now,
		      struct profile_data *base, const struct report_options *o, FILE *out)
{
	struct profile_data *const d[] = {now, base};
	struct growth_sides g;
	int err = growth_sides_find(&g, leaks_key_of(o), now, base);

	if (!err)
		err = write_page(t, &(struct subject){d, 2, &g, o}, out);
	growth_sides_release(&g);
	return err;
}
