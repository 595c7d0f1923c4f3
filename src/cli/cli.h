/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_H
#define MPROF_CLI_H

#include "report/report.h"

#include <stdbool.h>

/* Exit statuses of mprof's own; those of a program it ran come through as they are. */
enum {
	STATUS_FAILED = 1,	/* it could not do what it was asked */
	STATUS_USAGE = 2,
	STATUS_CANNOT_RUN = 126, /* as shells do: found, but cannot be run */
	STATUS_NOT_FOUND = 127,
};

enum output_format { FORMAT_TABLES, FORMAT_JSON };

struct options {
	struct report_options report;
	enum output_format format;
	const char *output;	/* -o; NULL: the command's default stream */
	const char *data;	/* --data, as given, with its % sequences */
	bool trace_children;
};

/**
 * Parse the options at the start of argv[first...]; one or two dashes alike.
 * @command  "run", "report" ...: which options are allowed; used in messages
 * Returns the index of the first argument that is no option, or -1: a sentence has been printed.
 */
int options_parse(struct options *o, const char *command, int argc, char **argv, int first);

/* One line on standard error: "mprof: " and the sentence. */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);

int command_run(int argc, char **argv);
int command_report(int argc, char **argv);
/* mprof [options] [a.out [mprof.data]], as in 1990. */
int command_classic(int argc, char **argv);

/* Print a profile as the options say. 0 or -errno. */
int print_profile(const struct profile_data *d, const struct options *o, FILE *out);

extern const char help_text[];

#endif
