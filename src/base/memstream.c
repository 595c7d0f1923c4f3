/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/memstream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct memstream {
	char **text; /* the caller's */
	size_t *len;
	char *bytes;
	size_t used, room;
	bool lost;
};

/* Make room for @n more bytes and a zero. False: out of memory. */
static bool make_room(struct memstream *m, size_t n)
{
	enum { LEAST = 256 };
	size_t want, room = m->room > SIZE_MAX / 2 ? SIZE_MAX : m->room * 2;

	if (__builtin_add_overflow(m->used, n, &want) || __builtin_add_overflow(want, 1, &want))
		return false;
	if (want <= m->room)
		return true;
	room = room > want ? room : want;
	room = room > LEAST ? room : LEAST;
	char *grown = realloc(m->bytes, room);

	if (!grown)
		return false;
	m->bytes = grown;
	m->room = room;
	return true;
}

/* See fopencookie(3): 0 says that it failed. */
static ssize_t put(void *cookie, const char *bytes, size_t n)
{
	struct memstream *m = cookie;

	if (m->lost || !make_room(m, n)) {
		m->lost = true;
		errno = ENOMEM;
		return 0;
	}
	memcpy(m->bytes + m->used, bytes, n);
	m->used += n;
	return (ssize_t)n;
}

static int end(void *cookie)
{
	struct memstream *m = cookie;
	bool whole = !m->lost && make_room(m, 0);

	if (whole) {
		m->bytes[m->used] = '\0';
		*m->text = m->bytes;
		*m->len = m->used;
	} else {
		free(m->bytes);
	}
	free(m);
	errno = whole ? errno : ENOMEM;
	return whole ? 0 : -1;
}

FILE *memstream_open(char **text, size_t *len)
{
	struct memstream *m = malloc(sizeof *m);
	FILE *out;

	*text = NULL;
	*len = 0;
	if (!m)
		return NULL;
	*m = (struct memstream){ .text = text, .len = len };
	out = fopencookie(m, "w", (cookie_io_functions_t){ .write = put, .close = end });
	if (!out)
		free(m);
	return out;
}
