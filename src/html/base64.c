/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/base64.h"

#include <string.h>

static void encode(char to[4], const unsigned char b[3])
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	to[0] = letters[b[0] >> 2];
	to[1] = letters[(b[0] & 3) << 4 | b[1] >> 4];
	to[2] = letters[(b[1] & 15) << 2 | b[2] >> 6];
	to[3] = letters[b[2] & 63];
}

void base64_put(struct base64 *b, const void *bytes, size_t n)
{
	const unsigned char *s = bytes;
	char text[4096];
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		b->left[b->n_left++] = s[i];
		if (b->n_left < 3)
			continue;
		encode(text + len, b->left);
		b->n_left = 0;
		len += 4;
		if (len < sizeof text)
			continue;
		fwrite_unlocked(text, 1, len, b->out);
		len = 0;
	}
	fwrite_unlocked(text, 1, len, b->out);
}

void base64_end(struct base64 *b)
{
	char text[4];

	if (!b->n_left)
		return;
	memset(b->left + b->n_left, 0, 3 - b->n_left);
	encode(text, b->left);
	memset(text + b->n_left + 1, '=', 3 - b->n_left);
	fwrite_unlocked(text, 1, 4, b->out);
	b->n_left = 0;
}
