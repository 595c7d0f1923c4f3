/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/log.h"

#include "base/array.h"
#include "base/line.h"
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

/* Merge two sorted runs that meet at @mid. Entries that are in place already are not moved, so that
 * a nearly sorted log costs hardly more than a sorted one. */
static void merge(struct mma_entry *v, size_t mid, size_t n, struct mma_entry *spare)
{
	size_t from = mid, left = 0, right = mid, at;

	while (from && v[from - 1].time_ns > v[mid].time_ns)
		from--;
	size_t moved = mid - from;
	memcpy(spare, v + from, moved * sizeof *v);
	for (at = from; left < moved; at++)
		v[at] = right < n && v[right].time_ns < spare[left].time_ns ? v[right++]
									    : spare[left++];
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

void mma_reader_release(struct mma_reader *r)
{
	free(r->buf);
	*r = (struct mma_reader){ 0 };
}

static int malformed(const struct mma_source *s, uint64_t number, const char *line,
		     const struct mma_mistake *m, struct error *e)
{
	/* Quote up to the next blank, but at least one byte. */
	size_t n = strcspn(m->at + (*m->at != '\n'), " \n") + (*m->at != '\n');
	const char *end = memchr(m->at, '\0', n);

	if (end)
		n = (size_t)(end - m->at);
	if (*m->at == '\n')
		return error_set(e, -EINVAL,
				 "%s:%" PRIu64 ":%zu: expected %s, found the end of the line",
				 mma_source_name(s), number, (size_t)(m->at - line) + 1,
				 m->expected);
	return error_set(e, -EINVAL, "%s:%" PRIu64 ":%zu: expected %s, found \"%.*s\"%s",
			 mma_source_name(s), number, (size_t)(m->at - line) + 1, m->expected,
			 (int)(n > 40 ? 40 : n), m->at, n > 40 ? "..." : "");
}

/* Make room by dropping what has been parsed. */
static int make_room(struct mma_reader *r, const struct mma_source *s, struct error *e)
{
	if (r->at) {
		r->len -= r->at;
		memmove(r->buf, r->buf + r->at, r->len);
		r->at = 0;
	}
	/* Keep one byte free for a missing last newline. */
	if (r->cap - r->len >= 2)
		return 0;
	size_t cap = r->cap ? r->cap * 2 : 256 << 10;
	char *grown = realloc(r->buf, cap);
	if (!grown)
		return error_set(e, -ENOMEM, "%s: out of memory", mma_source_name(s));
	r->buf = grown;
	r->cap = cap;
	return 0;
}

/* If the log was cut off, its last line may be incomplete: drop it. */
static void end_text(struct mma_reader *r, const struct mma_source *s)
{
	r->ended = true;
	r->truncated = mma_source_truncated(s);
	if (r->truncated)
		r->len = 0;
	else if (r->len)
		r->buf[r->len++] = '\n';
	r->whole = r->len;
}

/* Read more: the buffer has only the beginning of a line left. Returns 0 or -errno. */
static int more_lines(struct mma_reader *r, struct mma_source *s, struct error *e)
{
	/* A device or a sparse file may have no newline at all. */
	if (r->len - r->at > LINE_LONGEST)
		return error_set(e, -EINVAL,
				 "%s:%" PRIu64 ": this line has more than %d MiB, which is longer "
				 "than any of an event log",
				 mma_source_name(s), r->lines + 1, LINE_LONGEST >> 20);
	int err = make_room(r, s, e);

	if (err)
		return err;
	ssize_t n = mma_source_read(s, r->buf + r->len, r->cap - r->len - 1, e);
	if (n < 0)
		return (int)n;
	/* The text from before has no newline. */
	char *last = memrchr(r->buf + r->len, '\n', (size_t)n);
	r->len += (size_t)n;
	r->whole = last ? (size_t)(last - r->buf) + 1 : 0;
	if (!n)
		end_text(r, s);
	return 0;
}

ssize_t mma_reader_next(struct mma_reader *r, struct mma_source *s, struct mma_entry *v, size_t n,
			struct error *e)
{
	struct mma_mistake m;
	size_t got = 0;

	while (got < n) {
		if (r->at == r->whole) {
			int err = r->ended ? 0 : more_lines(r, s, e);

			if (err)
				return err;
			if (r->ended && r->at == r->whole)
				break;
			continue;
		}
		const char *line = r->buf + r->at, *newline;
		enum mma_line what = mma_parse(line, r->buf + r->whole, &newline, &v[got], &m);

		r->lines++;
		if (what == MMA_LINE_MALFORMED)
			return malformed(s, r->lines, line, &m, e);
		got += what == MMA_LINE_ENTRY;
		r->at = (size_t)(newline + 1 - r->buf);
	}
	return (ssize_t)got;
}

static int read_all(struct mma_log *l, struct mma_reader *r, struct mma_source *s, struct error *e)
{
	ssize_t n;

	do {
		if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
			return error_set(e, -ENOMEM, "%s: out of memory after %zu entries",
					 mma_source_name(s), l->n);
		n = mma_reader_next(r, s, l->v + l->n, l->cap - l->n, e);
		l->n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return (int)n;
}

int mma_log_read(struct mma_log *l, struct mma_source *s, struct error *e)
{
	struct mma_reader r = { 0 };

	*l = (struct mma_log){ 0 };
	int err = read_all(l, &r, s, e);
	l->lines = r.lines;
	l->truncated = r.truncated;
	mma_reader_release(&r);
	if (!err && mma_sort(l->v, l->n))
		err = error_set(e, -ENOMEM, "%s: out of memory while sorting %zu entries",
				mma_source_name(s), l->n);
	return err;
}

/* A line that is malformed after its time belongs to a log, too: so that the error is reported. */
static bool begins_as_log(const char *text, const char *limit)
{
	struct mma_mistake m = { NULL, NULL };
	struct mma_entry entry;

	for (const char *line = text, *end; line < limit; line = end + 1)
		switch (mma_parse(line, limit, &end, &entry, &m)) {
		case MMA_LINE_ENTRY:
			return true;
		case MMA_LINE_MALFORMED:
			return m.at > line;
		case MMA_LINE_EMPTY:
			break;
		}
	return false;
}

bool mma_is_log(const char *path)
{
	char text[4096];
	struct error e;
	struct stat st;
	/* Regular files only: reading from a pipe would take its bytes away. */
	struct mma_source *s = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL
								       : mma_source_open(path, &e);
	bool is = s && mma_source_is_compressed(s); /* only logs are */
	ssize_t n = s && !is ? mma_source_read(s, text, sizeof text - 1, &e) : 0;

	mma_source_close(s);
	if (n <= 0)
		return is;
	text[n] = '\n';
	return begins_as_log(text, text + n + 1);
}
