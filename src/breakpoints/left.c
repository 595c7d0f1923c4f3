/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/left.h"

#include "base/text.h"
#include "probes/shown.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 4 }; /* of those with one reason */

/* Is it the first with its reason? */
static bool is_first(const struct left_function *v, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(v[j].why, v[i].why))
			return false;
	return true;
}

/* "a, b and 7 others (why)", of all with the reason of @v[first]. */
static void put_reason(FILE *out, const struct left_function *v, size_t n, size_t first)
{
	size_t named = 0, others = 0;
	char shown[PROBE_SHOWN];

	for (size_t i = first; i < n; i++) {
		if (strcmp(v[i].why, v[first].why) != 0)
			continue;
		if (named == NAMED)
			others++;
		else
			fprintf(out, "%s%s", named++ ? ", " : "",
				probe_shown(v[i].name, shown));
	}
	if (others)
		fprintf(out, " and %zu other%s", others, text_plural(others));
	fprintf(out, " (%s)", v[first].why);
}

void left_sentence(const struct left_function *v, size_t n, struct error *out)
{
	char text[sizeof out->text] = "";
	FILE *f = fmemopen(text, sizeof text - 1, "w");

	if (f)
		fprintf(f, "has %zu function%s that %s watched by traps: ", n, text_plural(n),
			n == 1 ? "is" : "are");
	for (size_t i = 0; f && i < n; i++)
		if (is_first(v, i)) {
			fputs(i ? ", " : "", f);
			put_reason(f, v, n, i);
		}
	if (f)
		fclose(f);
	error_set(out, 0, "%s", text[0] ? text : "has functions that are watched by traps");
}
