/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/glob.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Behind a type and before what ends one; "<*>" and "f(*)" have no type there. */
static bool is_any(const char *pattern, const char *at)
{
	if (*at != '*' || at == pattern)
		return *at == '*';
	unsigned char before = (unsigned char)at[-1];
	bool behind_type = isalnum(before) || before == '_' || before == '>' || before == '*';

	return !(behind_type && at[1] && strchr(",)>&*[", at[1]));
}

bool glob_matches(const char *pattern, const char *text)
{
	const char *p = pattern, *star = NULL, *resume = NULL;

	/* Where it does not go on, the last * takes a character more. */
	while (*text) {
		if (is_any(pattern, p)) {
			star = ++p;
			resume = text;
		} else if (*p == *text) {
			p++;
			text++;
		} else if (star) {
			p = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (is_any(pattern, p))
		p++;
	return !*p;
}
