/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* The factor that a suffix stands for; 0: it is no suffix. */
static uint64_t unit(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *letter = *suffix ? strchr(letters, toupper((unsigned char)*suffix)) : NULL;
	uint64_t binary = 1, decimal = 1;

	if (!letter)
		return !*suffix || !strcasecmp(suffix, "B");
	for (const char *l = letters; l <= letter; l++) {
		binary *= 1024;
		decimal *= 1000;
	}
	suffix++;
	return !*suffix || !strcasecmp(suffix, "iB") ? binary :
	       !strcasecmp(suffix, "B")		     ? decimal :
						       0;
}

bool number_bytes(uint64_t *bytes, const char *text)
{
	size_t len = strspn(text, "0123456789");
	uint64_t each = unit(text + len), n;
	char digits[32];

	if (!each || len >= sizeof digits)
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (!number_in_range(&n, digits, 0, UINT64_MAX) || __builtin_mul_overflow(n, each, &n))
		return false;
	*bytes = n;
	return true;
}
