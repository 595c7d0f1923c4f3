/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/line.h"

#include <errno.h>
#include <stdlib.h>

/* For one more byte, and the NUL behind it. */
static int make_room(char **line, size_t *cap, size_t n)
{
	enum { FIRST = 256 };

	if (n + 2 <= *cap)
		return 0;
	size_t more = *cap ? *cap * 2 : FIRST;
	char *grown = realloc(*line, more);

	if (!grown)
		return -ENOMEM;
	*line = grown;
	*cap = more;
	return 0;
}

ssize_t line_next(char **line, size_t *cap, FILE *in)
{
	size_t n = 0;

	for (int c = 0; c != '\n';) {
		errno = 0;
		c = getc_unlocked(in);
		if (c == EOF && ferror(in))
			return errno ? -errno : -EIO;
		if (c == EOF)
			break;
		if (!c)
			return -EILSEQ;
		if (n == LINE_LONGEST)
			return -EMSGSIZE;
		int err = make_room(line, cap, n);
		if (err)
			return err;
		(*line)[n++] = (char)c;
	}
	if (n)
		(*line)[n] = '\0';
	return (ssize_t)n;
}
