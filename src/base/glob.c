/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/glob.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Is there a * that stands for any characters? A pointer's is behind a type, and in front of
 * something that ends one; "<*>" and "f(*)" have no type there. */
static bool is_any(const char *pattern, const char *at)
{
	if (*at != '*' || at == pattern)
		return *at == '*';
	unsigned char before = (unsigned char)at[-1];
	bool behind_type = isalnum(before) || before == '_' || before == '>' || before == '*';

	return !(behind_type && at[1] && strchr(",)>&*[", at[1]));
}

typedef bool any_fn(const char *pattern, const char *at);

/* The pattern ends at @end. @begins: it has to match from the start of the text; @open: the text
 * may continue behind the match. */
static bool matches(const char *pattern, const char *end, const char *text, any_fn *any,
		    bool begins, bool open)
{
	const char *p = pattern, *star = begins ? NULL : p, *resume = text;

	/* Where the rest does not match, the last * takes one more character. */
	while (*text && !(open && p == end)) {
		if (p < end && any(pattern, p)) {
			star = ++p;
			resume = text;
		} else if (p < end && *p == *text) {
			p++;
			text++;
		} else if (star) {
			p = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (p < end && any(pattern, p))
		p++;
	return p == end;
}

bool glob_matches(const char *pattern, const char *text)
{
	return matches(pattern, pattern + strlen(pattern), text, is_any, true, false);
}

static bool is_star(const char *pattern, const char *at)
{
	(void)pattern;
	return *at == '*';
}

bool glob_finds(const char *pattern, const char *text)
{
	bool begins = *pattern == '^';

	pattern += begins;
	size_t len = strlen(pattern);
	bool ends = len && pattern[len - 1] == '$';

	return matches(pattern, pattern + len - ends, text, is_star, begins, !ends);
}
