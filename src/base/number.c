/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_in_range(uint64_t *n, const char *text, uint64_t min, uint64_t max)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	if (*end || errno || value < min || value > max)
		return false;
	*n = value;
	return true;
}

bool number_bytes(uint64_t *bytes, const char *text)
{
	static const char suffixes[] = "KMG";
	size_t len = strlen(text);
	const char *suffix = len ? strchr(suffixes, toupper((unsigned char)text[len - 1])) : NULL;
	char digits[32];
	uint64_t n;

	if (!suffix)
		return number_in_range(bytes, text, 0, UINT64_MAX);
	if (len > sizeof digits)
		return false;
	memcpy(digits, text, len - 1);
	digits[len - 1] = '\0';
	if (!number_in_range(&n, digits, 0, UINT64_MAX) ||
	    __builtin_mul_overflow(n, 1024ull << 10 * (suffix - suffixes), &n))
		return false;
	*bytes = n;
	return true;
}
