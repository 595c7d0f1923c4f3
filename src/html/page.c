/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/page.h"

#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "html/rows.h"
#include "html/sink.h"
#include "html/tree.h"
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

char *page_title(const struct profile_data *d)
{
	const char *program = d->command && d->command[0] ? path_last(d->command[0]) : "";
	char *name = clean(*program ? program : "?"), *title = NULL;

	if (name && asprintf(&title, "%s (pid %" PRIu32 ")", name, d->pid) < 0)
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

static int put_title(struct profile_data *const *d, size_t n, FILE *out)
{
	char *title = page_title(d[0]);

	if (!title)
		return -ENOMEM;
	put_escaped(title, out);
	if (n > 1)
		fprintf(out, " and %zu more", n - 1);
	fputs(" - mprof", out);
	free(title);
	return 0;
}

/* ---- blocks of data ---- */

/* What the data of all profiles, or of one and its tree, is as JSON. 0 or -errno. */
struct content {
	int (*put)(const struct content *c, FILE *out);
	struct profile_data *const *d;
	size_t n;
	const struct tree *tree;
};

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
	int err = c->put(c, sink), lost = stream_close(sink);
	fputs("</script>\n", out);
	return err ? err : lost;
}

static int put_report(const struct content *c, FILE *out)
{
	return report_json_short(c->d[0], out);
}

static int put_tree(const struct content *c, FILE *out)
{
	return tree_json(c->tree, out);
}

static int put_rows(const struct content *c, FILE *out)
{
	return rows_json(c->tree, out);
}

/* NULL: out of memory. */
static json_t *index_entry(const struct profile_data *d, size_t i)
{
	char *title = page_title(d);
	json_t *entry = title ? json_pack("{ss so so so}", "title", title, "report",
					  json_sprintf("mprof-report-%zu", i), "tree",
					  json_sprintf("mprof-tree-%zu", i), "rows",
					  json_sprintf("mprof-rows-%zu", i))
			      : NULL;

	free(title);
	return entry;
}

static int put_index(const struct content *c, FILE *out)
{
	json_t *list = json_array();
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < c->n; i++)
		err = json_array_append_new(list, index_entry(c->d[i], i)) ? -ENOMEM : 0;
	json_t *index = json_pack("{ss ss sO}", "schema", "mprof.page.v1", "version", MPROF_VERSION,
				  "profiles", list);
	if (!err && (!index || json_dumpf(index, out, JSON_COMPACT)))
		err = index && ferror(out) ? -EIO : -ENOMEM;
	json_decref(index);
	json_decref(list);
	return err;
}

/* The blocks of profile number @i. */
static int put_profile(struct profile_data *const *d, size_t i, FILE *out)
{
	struct tree *tree;
	int err = tree_new(d[i], &tree);

	if (err)
		return err;
	const struct content report = {put_report, d + i, 1, tree};
	const struct content nodes = {put_tree, d + i, 1, tree};
	const struct content rows = {put_rows, d + i, 1, tree};

	err = put_block("report", (int64_t)i, &report, out);
	if (!err)
		err = put_block("tree", (int64_t)i, &nodes, out);
	if (!err)
		err = put_block("rows", (int64_t)i, &rows, out);
	tree_free(tree);
	return err;
}

static int put_data(struct profile_data *const *d, size_t n, FILE *out)
{
	const struct content index = {put_index, d, n, NULL};
	int err = put_block("index", -1, &index, out);

	for (size_t i = 0; !err && i < n; i++)
		err = put_profile(d, i, out);
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

int page_write(const struct page_template *t, struct profile_data *const *d, size_t n, FILE *out)
{
	const char *end = t->text + t->len;

	if (!template_has_marks(t))
		return -EINVAL;
	const char *rest = put_until(t->text, end, TITLE_MARK, out);
	int err = put_title(d, n, out);
	rest = put_until(rest, end, DATA_MARK, out);
	if (!err)
		err = put_data(d, n, out);
	fwrite(rest, 1, (size_t)(end - rest), out);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	return err;
}
