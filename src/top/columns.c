/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/columns.h"

#include "base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* A character as it is shown. */
struct shown {
	size_t bytes; /* of the text */
	int columns;  /* that it takes; -1: it cannot be shown */
};

static struct shown next(const char *s, mbstate_t *state)
{
	wchar_t c;
	size_t n = mbrtowc(&c, s, strlen(s), state);

	if (n == 0 || n == (size_t)-1 || n == (size_t)-2) {
		memset(state, 0, sizeof *state);
		return (struct shown){1, -1};
	}
	return (struct shown){n, wcwidth(c)};
}

int top_width(const char *text)
{
	mbstate_t state = {0};
	int width = 0;

	while (*text) {
		struct shown c = next(text, &state);

		width += c.columns < 0 ? 1 : c.columns;
		text += c.bytes;
	}
	return width;
}

/* Behind the characters that fit into so many columns, all of them as they are shown. */
static char *fill(char *to, const char *text, int columns)
{
	mbstate_t state = {0};

	while (*text) {
		struct shown c = next(text, &state);

		columns -= c.columns < 0 ? 1 : c.columns;
		if (columns < 0)
			break;
		if (c.columns < 0)
			*to++ = '?';
		else
			to = mempcpy(to, text, c.bytes);
		text += c.bytes;
	}
	return to;
}

char *top_cut(const char *text, int columns)
{
	char *harmless = printable_copy(text);
	char *cut = harmless ? malloc(strlen(harmless) + 2) : NULL;

	if (cut && top_width(harmless) <= columns) {
		*fill(cut, harmless, columns) = '\0';
	} else if (cut) {
		char *end = fill(cut, harmless, columns - 1);

		if (columns > 0)
			*end++ = '>';
		*end = '\0';
	}
	free(harmless);
	return cut;
}
