/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OPTIONS_H
#define MPROF_CLI_OPTIONS_H

#include "cli/cli.h"

/*
 * What options there are, as data: a table for each concern, in a file options_*.c of its own. A new
 * option is a row in one of them; a new concern a table, listed in options.c.
 */
enum {
	NEEDS_VALUE = 1,
	TAKES_VALUE = 2, /* may have one, behind a "=" */
	FOR_RUN = 4,
	FOR_ATTACH = 8,
	FOR_REPORT = 16,
	FOR_PROBES = 32,
	FOR_TRACING = FOR_RUN | FOR_ATTACH,
	FOR_PRINTING = FOR_RUN | FOR_REPORT | FOR_ATTACH,
};

struct option_def {
	const char *name;	/* without dashes */
	unsigned flags;
	const char *accepted;	/* its values, as the rest of "is not ..."; NULL if it has none */
	bool (*set)(struct options *o, const char *value); /* NULL value: none was given */
};

/* Each ends with a row without a name. */
extern const struct option_def printing_options[], tracing_options[], probe_options[];

#endif
