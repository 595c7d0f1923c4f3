/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/log.h"

#include "base/array.h"
#include "mma/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void mma_log_release(struct mma_log *l)
{
	free(l->v);
	*l = (struct mma_log){ 0 };
}

/* ---- order ---- */

/* Merge two sorted runs that meet at @mid. What is in its place already is not touched, so that a log
 * that is nearly in order costs hardly more than one that is. */
static void merge(struct mma_entry *v, size_t mid, size_t n, struct mma_entry *spare)
{
	size_t from = mid, left = 0, right = mid, at;

	while (from && v[from - 1].time_ns > v[mid].time_ns)
		from--;
	size_t moved = mid - from;
	memcpy(spare, v + from, moved * sizeof *v);
	for (at = from; left < moved; at++)
		v[at] = right < n && v[right].time_ns < spare[left].time_ns ? v[right++] : spare[left++];
}

static void sort(struct mma_entry *v, size_t n, struct mma_entry *spare)
{
	size_t mid = n / 2;

	if (n < 2)
		return;
	sort(v, mid, spare);
	sort(v + mid, n - mid, spare);
	if (v[mid - 1].time_ns > v[mid].time_ns)
		merge(v, mid, n, spare);
}

int mma_sort(struct mma_entry *v, size_t n)
{
	size_t i = 1;

	while (i < n && v[i - 1].time_ns <= v[i].time_ns)
		i++;
	if (i >= n)
		return 0;
	struct mma_entry *spare = malloc((n / 2 + 1) * sizeof *spare);
	if (!spare)
		return -ENOMEM;
	sort(v, n, spare);
	free(spare);
	return 0;
}

/* ---- reading ---- */

/* The text that is being read: whole lines, and the beginning of one. */
struct text {
	char *buf;
	size_t len, cap;
};

static int malformed(const struct mma_source *s, const struct mma_log *l, const char *line,
		     const struct mma_mistake *m, struct error *e)
{
	/* Up to the next blank, but at least one byte. */
	size_t n = strcspn(m->at + (*m->at != '\n'), " \n") + (*m->at != '\n');
	const char *end = memchr(m->at, '\0', n);

	if (end)
		n = (size_t)(end - m->at);
	if (*m->at == '\n')
		return error_set(e, -EINVAL, "%s:%" PRIu64 ":%zu: expected %s, found the end of the line",
				 mma_source_name(s), l->lines, (size_t)(m->at - line) + 1, m->expected);
	return error_set(e, -EINVAL, "%s:%" PRIu64 ":%zu: expected %s, found \"%.*s\"%s",
			 mma_source_name(s), l->lines, (size_t)(m->at - line) + 1, m->expected,
			 (int)(n > 40 ? 40 : n), m->at, n > 40 ? "..." : "");
}

/* Take the lines in @text up to @end, which is behind a newline. */
static int take_lines(struct mma_log *l, const struct mma_source *s, const char *line, const char *end,
		      struct error *e)
{
	struct mma_mistake m;

	while (line < end) {
		const char *newline;

		if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
			return error_set(e, -ENOMEM, "%s: out of memory after %zu entries",
					 mma_source_name(s), l->n);
		l->lines++;
		enum mma_line what = mma_parse(line, &newline, &l->v[l->n], &m);
		if (what == MMA_LINE_MALFORMED)
			return malformed(s, l, line, &m, e);
		l->n += what == MMA_LINE_ENTRY;
		line = newline + 1;
	}
	return 0;
}

/* Read more behind what is left of the last line. 1, 0 at the end, or -errno. */
static int read_more(struct text *t, struct mma_source *s, struct error *e)
{
	/* One byte stays free for a missing last newline. */
	if (t->cap - t->len < 2) {
		size_t cap = t->cap ? t->cap * 2 : 1 << 20;
		char *grown = realloc(t->buf, cap);

		if (!grown)
			return error_set(e, -ENOMEM, "%s: out of memory: a line is too long",
					 mma_source_name(s));
		t->buf = grown;
		t->cap = cap;
	}
	ssize_t n = mma_source_read(s, t->buf + t->len, t->cap - t->len - 1, e);
	if (n > 0)
		t->len += (size_t)n;
	return n < 0 ? (int)n : n > 0;
}

static int read_all(struct mma_log *l, struct text *t, struct mma_source *s, struct error *e)
{
	int more;

	while ((more = read_more(t, s, e)) > 0) {
		char *last = memrchr(t->buf, '\n', t->len);
		size_t whole = last ? (size_t)(last - t->buf) + 1 : 0;
		int err = take_lines(l, s, t->buf, t->buf + whole, e);

		if (err)
			return err;
		t->len -= whole;
		memmove(t->buf, t->buf + whole, t->len);
	}
	if (more < 0)
		return more;
	l->truncated = mma_source_truncated(s);
	/* The last line of a log that was cut off may have been cut as well. */
	if (l->truncated || !t->len)
		return 0;
	t->buf[t->len++] = '\n';
	return take_lines(l, s, t->buf, t->buf + t->len, e);
}

int mma_log_read(struct mma_log *l, struct mma_source *s, struct error *e)
{
	struct text t = { 0 };

	*l = (struct mma_log){ 0 };
	int err = read_all(l, &t, s, e);
	free(t.buf);
	if (!err && mma_sort(l->v, l->n))
		err = error_set(e, -ENOMEM, "%s: out of memory while sorting %zu entries",
				mma_source_name(s), l->n);
	return err;
}

bool mma_is_log(const char *path)
{
	char text[4096];
	const char *end = text;
	struct mma_entry entry;
	struct mma_mistake m;
	struct error e;
	struct stat st;
	enum mma_line what = MMA_LINE_EMPTY;
	/* Of a pipe the bytes would be gone. */
	struct mma_source *s = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : mma_source_open(path, &e);
	ssize_t n = s ? mma_source_read(s, text, sizeof text - 1, &e) : 0;

	mma_source_close(s);
	if (n <= 0)
		return false;
	text[n] = '\n';
	for (const char *line = text; what == MMA_LINE_EMPTY && line <= text + n; line = end + 1)
		what = mma_parse(line, &end, &entry, &m);
	return what == MMA_LINE_ENTRY;
}
