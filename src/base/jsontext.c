/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsontext.h"

#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

/* Bytes that JSON and terminals take as they are, from the beginning of @s. */
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
	/* Nearly all text is. */
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
