/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

static bool between(unsigned char c, unsigned low, unsigned high)
{
	return c >= low && c <= high;
}

size_t printable_utf8(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned low = 0x80, high = 0xbf;	/* what the second byte may be */
	size_t n;

	if (between(u[0], 0x01, 0x7f))
		return 1;
	if (between(u[0], 0xc2, 0xdf))
		n = 2;
	else if (between(u[0], 0xe0, 0xef))
		n = 3;
	else if (between(u[0], 0xf0, 0xf4))
		n = 4;
	else
		return 0;
	if (u[0] == 0xe0)
		low = 0xa0;	/* less would be overlong */
	else if (u[0] == 0xed)
		high = 0x9f;	/* more would be a surrogate */
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;	/* more would be above U+10FFFF */
	if (!between(u[1], low, high))
		return 0;
	/* The terminating nought is no continuation byte, so this stops at the end of the string. */
	for (size_t i = 2; i < n; i++)
		if (!between(u[i], 0x80, 0xbf))
			return 0;
	return n;
}

static bool is_control(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;

	if (n == 1)
		return u[0] < 0x20 || u[0] == 0x7f;
	return n == 2 && u[0] == 0xc2 && u[1] < 0xa0;	/* U+0080 to U+009F */
}

size_t printable(char *out, size_t cap, const char *s)
{
	size_t len = 0, end = 0;	/* end: of what was written to out */
	bool fits = cap > 0;

	while (*s) {
		size_t n = printable_utf8(s);
		char octal[4];
		const char *piece = s;
		size_t size = n;

		if (!n || is_control(s, n)) {
			unsigned char c = (unsigned char)*s;

			octal[0] = '\\';
			octal[1] = (char)('0' + (c >> 6));
			octal[2] = (char)('0' + (c >> 3 & 7));
			octal[3] = (char)('0' + (c & 7));
			piece = octal;
			size = sizeof octal;
			n = 1;	/* a second byte of U+0080... is no character by itself: its turn comes */
		}
		fits = fits && size < cap - end;
		if (fits) {
			memcpy(out + end, piece, size);
			end += size;
		}
		len += size;
		s += n;
	}
	if (cap)
		out[end] = '\0';
	return len;
}
