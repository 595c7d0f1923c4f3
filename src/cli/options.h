/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OPTIONS_H
#define MPROF_CLI_OPTIONS_H

#include "cli/cli.h"

#include <stdio.h>

/*
 * The options as data: a table for each concern, in its own file options_*.c. A new option is a row
 * in one of them; a new concern a table, listed in options.c.
 */
enum {
	NEEDS_VALUE = 1,
	TAKES_VALUE = 2, /* may have one, after a "=" */
	FOR_RUN = 4,
	FOR_ATTACH = 8,
	FOR_REPORT = 16,
	OF_MASSIF = 32,	/* listed in the desc: line of a massif file */
	FOR_LOGS = 64,	/* stats and log */
	FOR_PROBES = 128,
	ONLY_MASSIF_FILE = 256,	/* has an effect only with --massif-out-file */
	ONLY_MASSIF = 512,	/* the same, or with --format=massif or ms_print */
	ONLY_MS_PRINT = 1024,	/* has an effect only with --format=ms_print */
	OF_TABLES = 2048,	/* has an effect only on the tables of a profile of our own */
	ONLY_PPROF = 4096,	/* has an effect only in pprof's formats; see pprof_check_use() */
	FOR_DETACH = 8192,	/* detach also has all options of a report */
	FOR_CONTROL = 16384,
	/* Outputs and inputs on which it has no effect; see options_obeyed(). */
	NOT_JSON = 1 << 15,	/* of a log, or of its statistics */
	NOT_MASSIF = 1 << 16,	/* --format=massif, ms_print */
	NOT_STACKS = 1 << 17,	/* pprof's formats, the JSON of heap profiles, --list */
	NOT_FOR_TOOLS = 1 << 18, /* --format=heap, pprof: they are complete */
	NOT_LIST = 1 << 19,
	NOT_OF_HEAP = 1 << 20,
	NOT_OF_MASSIF = 1 << 21,
	NOT_OF_LOG = 1 << 22,
	FOR_STATUS = 1 << 23,
	FOR_HEAP = 1 << 26,
	FOR_RSS = 1 << 27,
	FOR_LEAKS = 1 << 28,
	NOT_DIFFERENCE = 1 << 25, /* --base */
	NOT_SUMMARY = 1 << 29,	/* --summary and --growth print no tables */
	NOT_GROWTH = 1 << 30,
	FOR_FILES = 1 << 24,	/* report only: options for several files have no meaning for
				   detach */
	FOR_TRACING = FOR_RUN | FOR_ATTACH,
	FOR_PRINTING = FOR_RUN | FOR_REPORT | FOR_ATTACH,
	FOR_LOOKS = FOR_HEAP | FOR_LEAKS | FOR_RSS,
};

struct option_def {
	const char *name;	/* without dashes */
	uint64_t flags;
	const char *accepted;	/* its values, to complete "is not ..."; NULL: it has none */
	bool (*set)(struct options *o, const char *value); /* NULL value: none was given */
};

/* More than an enum can hold. */
#define FOR_DOCTOR (UINT64_C(1) << 32)
#define FOR_MERGE (UINT64_C(1) << 33)
#define FOR_TOP (UINT64_C(1) << 34)

/* Commands about existing processes. */
#define FOR_PROCESSES                                                                              \
	(FOR_ATTACH | FOR_DETACH | FOR_CONTROL | FOR_PROBES | FOR_LOOKS | FOR_DOCTOR | FOR_TOP)

/* Print the options that were given, in order, separated by blanks; if @flags is not 0, only those
 * with one of them. */
void options_print_given(const struct options *o, uint64_t flags, FILE *out);

/* The first option that was given and has one of @flags; NULL: none. */
const struct option_def *options_find_given(const struct options *o, uint64_t flags);

/* FOR_... flags of the options of a command. */
uint64_t options_of_command(const char *command);

/* True if an option of a command with these arguments asks for its help. Arguments after a program
 * to run, or after "--", are not options. */
bool options_ask_for_help(const char *command, int argc, char *const argv[], int first);

/* All tables. */
extern const struct option_def *const option_tables[];
extern const size_t n_option_tables;

/* Each ends with a row without a name. */
extern const struct option_def printing_options[], tracing_options[], massif_options[],
	heap_options[], pprof_options[], mma_options[], probe_options[], control_options[],
	look_options[], page_options[], gate_options[],
	doctor_options[], limit_options[], top_options[];

/* Set the defaults. */
void massif_defaults(struct options *o);
void heap_defaults(struct options *o);
void mma_defaults(struct options *o);
void look_defaults(struct options *o);
void top_defaults(struct options *o);

/* Read MPROF_ENGINE; check that the engine supports the other options. False: a sentence has been
 * printed. */
bool engine_environment(struct options *o);
bool engine_check_options(struct options *o);
/* Check these options against the others. False: a sentence has been printed. */
bool limit_options_check(const struct options *o);
/* Set options that depend on others, when all are known. False: a sentence has been printed. */
bool massif_check_options(struct options *o);

/* The kind of the input. */
enum option_input { INPUT_DATA, INPUT_HEAP, INPUT_MASSIF, INPUT_LOG };

/* Check that each option that was given has an effect on the output: none may be ignored silently.
 * False: a sentence has been printed. */
bool options_obeyed(const struct options *o, enum option_input input);

/* Check that options of pprof's formats, and of the tables, have an effect: in pprof's formats,
 * with --list, and in a difference as JSON. For profiles of our own, when it is known that these
 * are read. False: a sentence has been printed. */
bool pprof_check_use(const struct options *o);

/* True if the options ask for something that google-pprof prints, too. */
bool pprof_is_used(const struct options *o);

/* Read gperftools' variables; before the options. */
void heap_environment(struct options *o);

/* After the options. False: a variable that matters is invalid; a sentence has been printed. */
bool heap_environment_done(const struct options *o);

/* Unset those variables: child processes must not use them, too. */
void heap_environment_take(void);

#endif
