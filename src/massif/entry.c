/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/names.h"

#include "base/memstream.h"
#include "base/printable.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names come from the program's files, and massif files are read line by line: escape them. */
static void put_harmless(FILE *out, const char *s)
{
	char *safe = printable_copy(s);

	if (!safe)
		return;
	fputs(safe, out);
	free(safe);
}

char *massif_entry_text(const struct massif_place *p)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "0x%" PRIX64 ": ", p->address);
	put_harmless(out, p->name ? p->name : "???");
	if (p->name && p->file && p->line) {
		fputs(" (", out);
		put_harmless(out, path_last(p->file));
		fprintf(out, ":%" PRIu32 ")", p->line);
	} else if (p->object) {
		fputs(" (in ", out);
		put_harmless(out, p->object);
		fputc(')', out);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
