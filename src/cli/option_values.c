/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/option_values.h"

#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool value_yes_no(bool *flag, const char *text)
{
	if (strcmp(text, "yes") && strcmp(text, "no"))
		return false;
	*flag = !strcmp(text, "yes");
	return true;
}

bool value_in_range(uint64_t *count, const char *text, uint64_t min, uint64_t max)
{
	return number_in_range(count, text, min, max);
}

bool value_count(uint64_t *count, const char *text)
{
	return value_in_range(count, text, 0, UINT64_MAX);
}

bool value_bytes(uint64_t *bytes, const char *text)
{
	return number_bytes(bytes, text);
}

bool value_seconds(double *seconds, const char *text)
{
	char *end;

	errno = 0;
	double s = strtod(text, &end);
	if (end == text || *end || errno || !(s > 0 && s < 1e9))
		return false;
	*seconds = s;
	return true;
}

bool value_percent(double *percent, const char *text, double max)
{
	char *end;

	/* Only digits and points: excludes signs, "inf" and hexadecimal. */
	if (!*text || text[strspn(text, "0123456789.")])
		return false;
	double p = strtod(text, &end);
	if (*end || end == text || !(p <= max))
		return false;
	*percent = p;
	return true;
}

bool value_word(unsigned *which, const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, words[i]))
			continue;
		*which = (unsigned)i;
		return true;
	}
	return false;
}

bool value_add(const char **list, size_t max, const char *text)
{
	size_t n = 0;

	while (list[n])
		n++;
	if (!*text || n == max)
		return false;
	list[n] = text;
	return true;
}
