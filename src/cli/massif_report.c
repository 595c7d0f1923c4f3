/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/massif_report.h"

#include "cli/options.h"
#include "massif/ms_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool is_massif_file(const char *path)
{
	static const char sqlite[16] = "SQLite format 3";
	char first[sizeof sqlite];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(first, 1, sizeof first, f) : 0;

	if (f)
		fclose(f);
	return n && (n < sizeof first || memcmp(first, sqlite, sizeof first));
}

/* What the third line of the preamble shows: the arguments of mprof report. */
static char *arguments(const struct options *o, const char *path)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	options_print_given(o, 0, out);
	fprintf(out, "%s%s", len || o->end > o->first ? " " : "", path);
	fclose(out);
	return text;
}

static int print_file(FILE *in, const char *path, const struct options *o, FILE *out)
{
	struct ms_print_options how = { o->massif.columns, o->massif.rows, o->massif.settings.threshold, "" };
	char *given = arguments(o, path);
	struct massif_file *f;
	struct error e;
	int err = massif_read(in, path, &f, &e);

	if (err) {
		say("%s", e.text);
		free(given);
		return err;
	}
	how.arguments = given ? given : path;
	err = ms_print(f, &how, out);
	if (!err && (fflush(out) || ferror(out)))
		err = -errno;
	if (err)
		say("cannot write %s: %s", o->output ? o->output : "the report", strerror(-err));
	massif_file_free(f);
	free(given);
	return err;
}

int massif_report(const char *path, const struct options *o)
{
	FILE *in = fopen(path, "re"), *out = NULL;
	int err = in ? 0 : -errno;

	if (err)
		say("cannot read %s: %s", path, strerror(errno));
	else if (!(out = o->output ? fopen(o->output, "we") : stdout)) {
		err = -errno;
		say("cannot write %s: %s", o->output, strerror(errno));
	}
	if (!err)
		err = print_file(in, path, o, out);
	if (in)
		fclose(in);
	if (out && out != stdout && fclose(out) && !err) {
		err = -errno;
		say("cannot write %s: %s", o->output, strerror(errno));
	}
	return err ? STATUS_FAILED : 0;
}
