/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the reports share: reports as strings, and showing where two of them differ. */
#ifndef MPROF_TESTS_REPORT_TEXT_H
#define MPROF_TESTS_REPORT_TEXT_H

#include "unit/unit.h"
#include "unit/pd_build.h"
#include "report/report.h"

#include <stdbool.h>

/* The text report, for free(). */
static inline char *tables_text_by(const struct profile_data *d, const struct report_options *o)
{
	static char *text;	/* static: gcc 12 takes what the stream allocates for the
				   variable */
	static size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(report_tables(d, o, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static inline char *tables_text(const struct profile_data *d, enum report_level level,
				enum report_leaks leaks)
{
	return tables_text_by(d, &(struct report_options){ .level = level, .leaks = leaks });
}

static inline void assert_text(const char *got, const char *want)
{
	unsigned line = 1;

	while (*got && *got == *want) {
		size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");

		if (n != m || memcmp(got, want, n) || got[n] != want[n])
			break;
		got += n + (got[n] == '\n');
		want += n + (want[n] == '\n');
		line++;
	}
	if (*got != *want || *got)
		fail_msg("line %u\nwant |%.*s|\ngot  |%.*s|", line, (int)strcspn(want, "\n"), want,
			 (int)strcspn(got, "\n"), got);
}

/* The report has these lines, one after the other, somewhere. */
static inline void assert_has(const char *text, const char *lines)
{
	const char *at = text;

	while ((at = strstr(at, lines)) && at != text && at[-1] != '\n')
		at++;
	if (!at)
		fail_msg("missing:\n%s\nin:\n%s", lines, text);
}

static inline void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("not wanted:\n%s\nin:\n%s", part, text);
}

/* Make the report of @d and forget the profile. */
static inline char *tables_of(struct profile_data *d, enum report_level level,
			      enum report_leaks leaks)
{
	pd_build_finish(d);
	char *text = tables_text(d, level, leaks);

	profile_data_free(d);
	return text;
}

#endif
