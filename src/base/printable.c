/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/printable.h"

#include "base/search.h"

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
	/* The terminating NUL is no continuation byte, so this stops at the end of the string. */
	for (size_t i = 2; i < n; i++)
		if (!between(u[i], 0x80, 0xbf))
			return 0;
	return n;
}

/*
 * Characters that are invisible, or change the direction or the line of the text around them:
 * control characters, those of lines, paragraphs and annotations (Cc, Zl, Zp; U+FFF9 to U+FFFB),
 * Unicode 15's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the two noncharacters
 * U+FFFE and U+FFFF. The directions are U+202A to U+202E and U+2066 to U+2069.
 */
static const struct {
	uint32_t first, last;
} unseen[] = {
	{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },	    { 0x34f, 0x34f },
	{ 0x61c, 0x61c },   { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
	{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0xfffe, 0xffff }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

uint32_t printable_decode(const char *s, size_t n)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)s[0] & first[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	return c;
}

bool printable_unseen(uint32_t c)
{
	size_t i = SEARCH_FIRST(sizeof unseen / sizeof *unseen, k, unseen[k].last >= c);

	return i < sizeof unseen / sizeof *unseen && unseen[i].first <= c;
}

static bool is_unseen(const char *s, size_t n)
{
	/* Nearly all characters are printable ASCII. */
	if (n == 1 && *s >= ' ' && *s <= '~')
		return false;
	return printable_unseen(printable_decode(s, n));
}

/* The result, as much as fits. */
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

		if (n && !is_unseen(s, n)) {
			put(&r, s, n);
			s += n;
			continue;
		}
		/* One byte only: those behind it are not valid without it. */
		put_octal(&r, (unsigned char)*s++);
	}
	if (cap)
		out[r.end] = '\0';
	return r.len;
}

const char *printable_put(FILE *out, const char *s)
{
	size_t n = printable_utf8(s);

	if (n && !is_unseen(s, n)) {
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
