/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/massif_report.h"
#include "cli/options.h"
#include "cli/stream.h"

#include "base/memstream.h"
#include "base/preadall.h"
#include "base/regular.h"
#include "base/text.h"
#include "massif/from_data.h"
#include "massif/ms_print.h"

#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_massif_file(const char *path)
{
	static const char sqlite[16] = "SQLite format 3";
	char first[sizeof sqlite];
	/* Regular files only: opening others may block, or their bytes can be read only once. */
	int fd = regular_open(AT_FDCWD, path, 0);
	ssize_t n = fd < 0 ? 0 : pread_all(fd, first, sizeof first, 0);

	if (fd >= 0)
		close(fd);
	return n > 0 && ((size_t)n < sizeof first || memcmp(first, sqlite, sizeof first));
}

/* The third line of the preamble: the arguments of mprof report. */
static char *arguments(const struct options *o)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	options_print_given(o, 0, out);
	if (!strcmp(o->command, "report"))
		for (char **a = o->argv + o->end; *a; a++)
			fprintf(out, "%s%s", a == o->argv + o->end && o->end == o->first ? "" : " ",
				*a);
	fclose(out);
	return text;
}

/* 0; -errno, or -EINVAL if a sentence has been printed. */
static int print_from(FILE *in, const char *name, const struct options *o, FILE *out)
{
	struct ms_print_options how = { o->massif.columns, o->massif.rows,
					o->massif.settings.threshold, "" };
	struct massif_file *f;
	struct error e;
	int err = massif_read(in, name, &f, &e);

	if (err) {
		say("%s", e.text);
		return -EINVAL;
	}
	char *given = arguments(o);
	how.arguments = given;
	err = given ? ms_print(f, &how, out) : -ENOMEM;
	massif_file_free(f);
	free(given);
	return err;
}

int massif_report_data(const struct profile_data *d, const struct options *o, FILE *out)
{
	char *text = NULL, *desc = NULL;
	size_t len, desc_len;

	if (!d->n_points) {
		say("the profile has no timeline: it was recorded with --timeline=0");
		return -EINVAL;
	}
	/* Nor could a tree be that of a snapshot. */
	if (d->left_out.allocs) {
		say("--ignore-fn cannot leave out %" PRIu64 " allocation%s of what was live over "
		    "time, which is recorded as a sum: give it to mprof run or mprof attach, with "
		    "--massif-out-file", d->left_out.allocs, text_plural(d->left_out.allocs));
		return -EINVAL;
	}
	FILE *words = memstream_open(&desc, &desc_len);
	FILE *to = o->format == FORMAT_MASSIF ? out : memstream_open(&text, &len);
	int err = words && to ? 0 : -ENOMEM;

	if (words) {
		options_print_given(o, OF_MASSIF, words);
		err = fclose(words) ? -ENOMEM : err;
	}
	if (!err)
		err = massif_from_data(d, desc, &o->massif.settings, to);
	if (to && to != out)
		err = fclose(to) && !err ? -ENOMEM : err;
	if (!err && text) {
		FILE *in = fmemopen(text, len, "r");

		err = in ? print_from(in, "the profile", o, out) : -errno;
		if (in)
			fclose(in);
	}
	free(desc);
	free(text);
	return err;
}

int massif_report(const char *path, const struct options *o)
{
	FILE *in = fopen(path, "re");

	if (!in) {
		say("cannot read %s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	FILE *out = stream_open(o);
	int err = out ? print_from(in, path, o, out) : -EINVAL, lost = out ? stream_close(out) : 0;

	err = err ? err : lost;
	if (err && err != -EINVAL)
		stream_failed(o, err);
	fclose(in);
	return err ? STATUS_FAILED : 0;
}
