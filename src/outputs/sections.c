/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/sections.h"

#include <inttypes.h>

static const char *of_process(const struct section *s, char text[40])
{
	text[0] = '\0';
	if (s->number)
		snprintf(text, 40, ", program %u of it", s->number);
	return text;
}

void sections_print_list(const struct section *s, size_t n, FILE *out)
{
	char text[40];

	fprintf(out, "mprof: %zu profiles\n\n%8s  %12s  %14s  %14s   %s\n\n", n, "process",
		"allocations", "bytes", "kept", "command");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%8d  %12" PRIu64 "  %14" PRIu64 "  %14" PRIu64 "   %s%s\n",
			(int)s[i].pid, s[i].allocs, s[i].bytes, s[i].kept_bytes, s[i].title,
			of_process(&s[i], text));
	fputs("\n\n", out);
}

void section_print_head(const struct section *s, FILE *out)
{
	char text[40];

	fprintf(out, "mprof: process %d%s %s\n\n", (int)s->pid, of_process(s, text), s->title);
}
