/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/printable.h"

#include <stdbool.h>
#include <stdlib.h>
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
	/* The terminating nought is no continuation byte, so this stops at the end of the
	 * string. */
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
	if (n == 2)
		return u[0] == 0xc2 && u[1] < 0xa0;	/* U+0080 to U+009F */
	if (n != 3 || u[0] != 0xe2)
		return false;
	return (u[1] == 0x80 && between(u[2], 0xaa, 0xae)) ||	/* U+202A to U+202E */
	       (u[1] == 0x81 && between(u[2], 0xa6, 0xa9));	/* U+2066 to U+2069 */
}

/* The result as far as it fits. */
struct result {
	char *out;
	size_t end, cap;
	size_t len;	/* of all of it */
	bool full;	/* something did not fit: nothing may follow */
};

static void put(struct result *r, const char *piece, size_t size)
{
	r->len += size;
	r->full = r->full || size >= r->cap - r->end;
	if (r->full)
		return;
	memcpy(r->out + r->end, piece, size);
	r->end += size;
}

static void put_octal(struct result *r, unsigned char c)
{
	const char octal[4] = {
		'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)), (char)('0' + (c & 7)),
	};

	put(r, octal, sizeof octal);
}

size_t printable(char *out, size_t cap, const char *s)
{
	struct result r = { .out = out, .cap = cap, .full = !cap };

	while (*s) {
		size_t n = printable_utf8(s);

		if (n && !is_control(s, n)) {
			put(&r, s, n);
			s += n;
			continue;
		}
		/* One byte only: alone, the second one of a control character is not valid
		 * either. */
		put_octal(&r, (unsigned char)*s++);
	}
	if (cap)
		out[r.end] = '\0';
	return r.len;
}

const char *printable_put(FILE *out, const char *s)
{
	size_t n = printable_utf8(s);

	if (n && !is_control(s, n)) {
		fwrite(s, 1, n, out);
		return s + n;
	}
	fprintf(out, "\\%03o", (unsigned char)*s);
	return s + 1;
}

char *printable_copy(const char *s)
{
	size_t size = 4 * strlen(s) + 1;
	char *safe = malloc(size);

	if (safe)
		printable(safe, size, s);
	return safe;
}
