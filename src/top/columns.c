/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/columns.h"

#include "base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* A character of the text and its width. */
struct shown {
	size_t bytes; /* in the text */
	int columns;  /* on the screen; -1: not printable */
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

/* The end of an escaped text that takes at most so many columns. */
static const char *tail_of(const char *text, int columns)
{
	mbstate_t state = {0};

	for (int left = top_width(text); left > columns && *text;) {
		struct shown c = next(text, &state);

		left -= c.columns < 0 ? 1 : c.columns;
		text += c.bytes;
	}
	return text;
}

/* Append the characters that fit into so many columns. Returns the end. */
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

char *top_shorten(const char *text, int columns)
{
	static const char dots[] = "...";
	const int n_dots = sizeof dots - 1;
	char *harmless = printable_copy(text), *out = NULL;

	if (!harmless || top_width(harmless) <= columns || columns < 3 * n_dots) {
		free(harmless);
		return top_cut(text, columns);
	}
	const int head = (columns - n_dots) / 2, tail = columns - n_dots - head;

	out = malloc(strlen(harmless) + sizeof dots);
	if (out) {
		char *to = mempcpy(fill(out, harmless, head), dots, sizeof dots - 1);

		*fill(to, tail_of(harmless, tail), tail) = '\0';
	}
	free(harmless);
	return out;
}

/* The number of bytes of an escaped text for one line: to the last space that fits and is not
 * followed by a per cent sign, or as much as fits; at least one character. */
static size_t line_bytes(const char *text, int columns)
{
	mbstate_t state = {0};
	size_t n = 0, space = 0;

	while (text[n]) {
		struct shown c = next(text + n, &state);

		columns -= c.columns < 0 ? 1 : c.columns;
		if (text[n] == ' ' && text[n + 1] != '%')
			space = n;
		if (columns < 0)
			return space ? space : n ? n : c.bytes;
		n += c.bytes;
	}
	return n;
}

char *top_wrap(const char *text, int columns)
{
	char *harmless = printable_copy(text);
	/* Each line has at least one byte of the text, and a newline. */
	char *out = harmless ? malloc(2 * strlen(harmless) + 1) : NULL, *to = out;

	for (const char *at = harmless; out && *at;) {
		size_t n = line_bytes(at, columns);

		to = mempcpy(to, at, n);
		at += n;
		at += strspn(at, " ");
		if (*at)
			*to++ = '\n';
	}
	if (out)
		*to = '\0';
	free(harmless);
	return out;
}
