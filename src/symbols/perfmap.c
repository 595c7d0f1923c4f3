/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/perfmap.h"

#include "base/array.h"
#include "base/search.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A longer name is cut. */
#define NAME_BYTES_MAX 4096

/* The useful part of a line: the numbers, the blanks around them, and the name. */
#define LINE_BYTES_MAX (64 + NAME_BYTES_MAX)

/* Entries that may overlap an address: no real map has more. */
#define OVERLAPS_MAX 65536

static int add_line(struct perfmap *m, char *line)
{
	struct perfmap_entry e = { .order = m->n };
	uint64_t size;
	int name = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &e.start, &size, &name) < 2 || !name ||
	    !line[name] || !size || __builtin_add_overflow(e.start, size, &e.end))
		return 0;
	if (strlen(line + name) > NAME_BYTES_MAX)
		line[name + NAME_BYTES_MAX] = '\0';
	e.name = strpool_add(&m->names, line + name, NULL);
	if (!e.name || ARRAY_RESERVE(&m->v, &m->cap, m->n))
		return -ENOMEM;
	m->v[m->n++] = e;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct perfmap_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void finish(struct perfmap *m)
{
	uint64_t reach = 0;

	if (m->n)
		qsort(m->v, m->n, sizeof *m->v, by_start);
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i].end > reach)
			reach = m->v[i].end;
		m->v[i].reach = reach;
	}
}

/* The useful part of the next line, without its end. False: there is none within @left bytes. */
static bool next_line(FILE *f, uint64_t *left, char line[LINE_BYTES_MAX + 1])
{
	size_t n = 0;
	int c = EOF;
	bool any = false;

	while (*left && (c = getc_unlocked(f)) != EOF && c != '\n') {
		any = true;
		--*left;
		if (n < LINE_BYTES_MAX)
			line[n++] = (char)c;
	}
	*left -= c == '\n';
	line[n] = '\0';
	return c == '\n' || (any && *left);
}

int perfmap_read(struct perfmap *m, int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), err = 0;
	FILE *f = own >= 0 ? fdopen(own, "r") : NULL;
	uint64_t left = (uint64_t)PERFMAP_MIB_MAX << 20;
	char line[LINE_BYTES_MAX + 1];

	if (!f) {
		if (own >= 0)
			close(own);
		return -ENOMEM;
	}
	rewind(f); /* the descriptor may have been read before */
	while (!err && m->n < PERFMAP_ENTRIES_MAX && next_line(f, &left, line))
		err = add_line(m, line);
	m->cut = (!left || m->n == PERFMAP_ENTRIES_MAX) && getc_unlocked(f) != EOF;
	fclose(f);
	finish(m);
	return err;
}

void perfmap_release(struct perfmap *m)
{
	free(m->v);
	strpool_release(&m->names);
	*m = (struct perfmap){ 0 };
}

const struct perfmap_entry *perfmap_find(const struct perfmap *m, uint64_t at)
{
	const struct perfmap_entry *best = NULL;
	size_t n = SEARCH_FIRST(m->n, i, m->v[i].start > at);
	size_t last = n > OVERLAPS_MAX ? n - OVERLAPS_MAX : 0;

	while (n-- > last && m->v[n].reach > at)
		if (m->v[n].end > at && (!best || m->v[n].order > best->order))
			best = &m->v[n];
	return best;
}
