/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsontext.h"

#include "base/memstream.h"
#include "base/printable.h"
#include "base/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

/* How many bytes at the start of @s need no escapes in JSON and on terminals. */
static size_t plain(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~')
		n++;
	return n;
}

json_t *json_text(const char *s)
{
	if (!s)
		return json_null();
	/* Nearly all text is plain. */
	size_t len = plain(s);

	if (!s[len])
		return json_stringn_nocheck(s, len);
	char *valid = malloc(strlen(s) * strlen(REPLACEMENT) + 1), *end = valid;

	if (!valid)
		return NULL;
	while (*s) {
		size_t n = printable_utf8(s);

		end = n ? mempcpy(end, s, n) : mempcpy(end, REPLACEMENT, strlen(REPLACEMENT));
		s += n ? n : 1;
	}
	*end = '\0';
	json_t *text = json_string(valid);

	free(valid);
	return text;
}

/* ---- writing ---- */

/* From U+10000 on it takes two escapes: RFC 8259, section 7. */
static void put_escaped(uint32_t c, FILE *out)
{
	if (c < 0x10000)
		fprintf(out, "\\u%04" PRIX32, c);
	else
		fprintf(out, "\\u%04" PRIX32 "\\u%04" PRIX32, 0xd800 + (c - 0x10000) / 0x400,
			0xdc00 + c % 0x400);
}

/* jansson's pieces are whole characters of UTF-8, and it has escaped those below U+0020. */
static int write_piece(const char *piece, size_t len, void *to)
{
	const char *end = piece + len, *from = piece;
	FILE *out = to;

	for (const char *s = piece; s < end;) {
		if ((unsigned char)*s < 0x7f) {
			s++;
			continue;
		}
		size_t n = printable_utf8(s);
		uint32_t c = printable_decode(s, n);

		if (printable_unseen(c)) {
			fwrite_unlocked(from, 1, (size_t)(s - from), out);
			put_escaped(c, out);
			from = s + n;
		}
		s += n;
	}
	fwrite_unlocked(from, 1, (size_t)(end - from), out);
	return ferror_unlocked(out) ? -1 : 0;
}

/* json_dumpf() would lock the stream for every piece, of which there are hundreds of millions. */
int json_text_write(const json_t *value, size_t flags, FILE *out)
{
	return json_dump_callback(value, write_piece, out, flags);
}

int json_text_put(json_t *value, size_t flags, FILE *out)
{
	bool made = value && !json_text_write(value, flags, out);

	json_decref(value);
	int err = stream_error(out);
	return err || made ? err : -ENOMEM;
}

char *json_text_dump(const json_t *value, size_t flags)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	int failed = json_text_write(value, flags, out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}
