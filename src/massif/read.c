/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/read.h"

#include "base/array.h"
#include "base/line.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct reader {
	FILE *in;
	const char *name;
	struct error *e;
	char *line;		/* the current line, without a comment */
	size_t cap_line;
	unsigned long number;	/* of the line */
	bool ended;		/* end of the file */
	int failed;		/* reading failed: 0, or the error of line_next() */
	struct massif_file *f;
	size_t cap_records, cap_lines;
	uint64_t *left;		/* children still expected, by level */
	size_t cap_left;
};

static bool is_blank(const char *s)
{
	return !s[strspn(s, " \t\r\n\f\v")];
}

/* Read the next line that is not empty; false: there is none. */
static bool next_line(struct reader *r)
{
	ssize_t n;

	while ((n = line_next(&r->line, &r->cap_line, r->in)) > 0) {
		char *comment = strchr(r->line, '#');

		r->number++;
		/* Keep the newline after the comment. */
		if (comment)
			strcpy(comment, strchr(comment, '\n') ? "\n" : "");
		if (!is_blank(r->line))
			return true;
	}
	r->ended = true;
	r->failed = (int)n;
	return false;
}

static int no_memory(const struct reader *r)
{
	return error_set(r->e, -ENOMEM, "%s: out of memory", r->name);
}

static int not_read(const struct reader *r)
{
	switch (r->failed) {
	case -ENOMEM:
		return no_memory(r);
	case -EILSEQ:
		return error_set(r->e, -EINVAL, "%s: line %lu: a zero byte, which no text has",
				 r->name, r->number + 1);
	case -EMSGSIZE:
		return error_set(r->e, -EINVAL, "%s: line %lu: it has more than %d MiB", r->name,
				 r->number + 1, LINE_LONGEST >> 20);
	default:
		return error_set(r->e, r->failed, "cannot read %s: %s", r->name,
				 strerror(-r->failed));
	}
}

static int wrong(const struct reader *r, const char *expected)
{
	if (r->failed)
		return not_read(r);
	if (r->ended)
		return error_set(r->e, -EINVAL, "%s: line %lu: expected %s, got the end of the "
						"file", r->name,
				 r->number, expected);
	return error_set(r->e, -EINVAL, "%s: line %lu: expected %s, got: "
					"%.*s", r->name, r->number, expected,
			 (int)strcspn(r->line, "\n"), r->line);
}

/* A copy of the rest of the current line, without leading blanks and the newline. */
static char *rest_of_line(const char *from)
{
	from += strspn(from, " \t\r\f\v");
	return strndup(from, strcspn(from, "\n"));
}

/* Digits; *end: the first character after them. */
static bool read_number(const char *s, uint64_t *n, char **end)
{
	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*n = strtoull(s, end, 10);
	return !errno;
}

/* ---- the head ---- */

static int append_desc(struct reader *r, const char *text, size_t *len)
{
	size_t n = strlen(text);
	char *grown = realloc(r->f->desc, *len + n + 1);

	if (!grown)
		return no_memory(r);
	memcpy(grown + *len, text, n + 1);
	*len += n;
	r->f->desc = grown;
	return 0;
}

static int read_head(struct reader *r)
{
	const char *rest;
	size_t len = 0;
	bool more;

	r->f->desc = strdup("");
	if (!r->f->desc)
		return no_memory(r);
	while ((more = next_line(r)) && (rest = text_after(r->line, "desc:"))) {
		int err = append_desc(r, rest, &len);
		if (err)
			return err;
	}
	rest = more ? text_after(r->line, "cmd:") : NULL;
	if (!rest)
		return wrong(r, "a \"cmd:\" line");
	r->f->cmd = rest_of_line(rest);
	rest = next_line(r) ? text_after(r->line, "time_unit:") : NULL;
	if (!rest)
		return wrong(r, "a \"time_unit:\" line");
	char *unit = r->f->time_unit = rest_of_line(rest);
	if (!unit || !r->f->cmd)
		return no_memory(r);
	if (strcmp(unit, "i") && strcmp(unit, "ms") && strcmp(unit, "B"))
		return wrong(r, "the time unit i, ms or B");
	return 0;
}

/* ---- snapshots ---- */

/* The current line is "NAME=NUMBER". */
static int number_field(struct reader *r, const char *name, uint64_t *n)
{
	const char *rest = r->ended ? NULL : text_after(r->line, name);
	char *end, expected[64];

	if (rest && *rest == '=' && read_number(rest + 1, n, &end) && is_blank(end))
		return 0;
	snprintf(expected, sizeof expected, "\"%s=\" and a number", name);
	return wrong(r, expected);
}

static int next_number(struct reader *r, const char *name, uint64_t *n)
{
	next_line(r);
	return number_field(r, name, n);
}

static int read_node(struct reader *r, uint64_t total)
{
	struct massif_line l;
	char *s, *end;

	if (!next_line(r))
		return wrong(r, "a tree node");
	s = r->line + strspn(r->line, " \t");
	if (*s != 'n' || !read_number(s + 1, &l.children, &end) || *end != ':')
		return wrong(r, "a tree node");
	end += 1 + strspn(end + 1, " \t");
	if (!read_number(end, &l.bytes, &end))
		return wrong(r, "a tree node");
	if (l.bytes > total)
		return wrong(r, "a tree node with no more bytes than its snapshot");
	if (ARRAY_RESERVE(&r->f->lines, &r->cap_lines, r->f->n_lines) ||
	    !(l.text = strndup(end, strcspn(end, "\n"))))
		return no_memory(r);
	r->f->lines[r->f->n_lines++] = l;
	return 0;
}

static int read_tree(struct reader *r, struct massif_record *s)
{
	size_t levels = 0;
	int err;

	s->first = r->f->n_lines;
	do {
		err = read_node(r, s->useful + s->extra + s->stacks);
		if (!err && levels == MASSIF_MAX_LEVELS)
			err = wrong(r, "no more than 10000 levels");
		if (!err && ARRAY_RESERVE(&r->left, &r->cap_left, levels))
			err = no_memory(r);
		if (err)
			return err;
		if (levels)
			r->left[levels - 1]--;
		r->left[levels++] = r->f->lines[r->f->n_lines - 1].children;
		while (levels && !r->left[levels - 1])
			levels--;
	} while (levels);
	s->n = r->f->n_lines - s->first;
	return 0;
}

static int read_record(struct reader *r)
{
	struct massif_record s = { 0 };
	int err = number_field(r, "snapshot", &s.number);
	uint64_t total;

	if (!err)
		err = next_number(r, "time", &s.time);
	if (!err)
		err = next_number(r, "mem_heap_B", &s.useful);
	if (!err)
		err = next_number(r, "mem_heap_extra_B", &s.extra);
	if (!err)
		err = next_number(r, "mem_stacks_B", &s.stacks);
	if (err)
		return err;
	if (__builtin_add_overflow(s.useful, s.extra, &total) ||
	    __builtin_add_overflow(total, s.stacks, &total))
		return wrong(r, "bytes whose sum is a number");
	const char *rest = next_line(r) ? text_after(r->line, "heap_tree=") : NULL;

	if (!rest)
		return wrong(r, "a \"heap_tree=\" line");
	char kind[16] = "";
	sscanf(rest, "%15s", kind);
	s.peak = !strcmp(kind, "peak");
	if (!s.peak && strcmp(kind, "empty") && strcmp(kind, "detailed"))
		return wrong(r, "empty, detailed or peak behind \"heap_tree=\"");
	if (strcmp(kind, "empty"))
		err = read_tree(r, &s);
	if (!err && ARRAY_RESERVE(&r->f->records, &r->cap_records, r->f->n_records))
		err = no_memory(r);
	if (!err)
		r->f->records[r->f->n_records++] = s;
	return err;
}

static int read_records(struct reader *r)
{
	while (next_line(r)) {
		int err = read_record(r);
		if (err)
			return err;
	}
	if (r->failed)
		return not_read(r);
	if (!r->f->n_records)
		return error_set(r->e, -EINVAL, "%s: line %lu: there is no "
						"snapshot", r->name, r->number);
	uint64_t end = r->f->records[r->f->n_records - 1].time;
	for (size_t i = 0; i < r->f->n_records; i++)
		if (r->f->records[i].time > end)
			return error_set(r->e, -EINVAL, "%s: snapshot %zu is later than the last "
							"one", r->name, i);
	return 0;
}

int massif_read(FILE *in, const char *name, struct massif_file **out, struct error *e)
{
	struct reader r = { .in = in, .name = name, .e = e, .f = calloc(1, sizeof *r.f) };
	int err = r.f ? read_head(&r) : no_memory(&r);

	if (!err)
		err = read_records(&r);
	free(r.line);
	free(r.left);
	if (err) {
		massif_file_free(r.f);
		r.f = NULL;
	}
	*out = r.f;
	return err;
}

uint64_t massif_file_peak(const struct massif_file *f)
{
	uint64_t number = UINT64_MAX;

	for (size_t i = 0; i < f->n_records; i++)
		if (f->records[i].peak)
			number = f->records[i].number;
	return number;
}

void massif_file_free(struct massif_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_lines; i++)
		free(f->lines[i].text);
	free(f->lines);
	free(f->records);
	free(f->desc);
	free(f->cmd);
	free(f->time_unit);
	free(f);
}
