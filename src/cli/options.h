/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OPTIONS_H
#define MPROF_CLI_OPTIONS_H

#include "cli/cli.h"

#include <stdio.h>

/*
 * What options there are, as data: a table for each concern, in a file options_*.c of its own. A
 * new option is a row in one of them; a new concern a table, listed in options.c.
 */
enum {
	NEEDS_VALUE = 1,
	TAKES_VALUE = 2, /* may have one, behind a "=" */
	FOR_RUN = 4,
	FOR_ATTACH = 8,
	FOR_REPORT = 16,
	OF_MASSIF = 32,	/* told in the desc: line of a massif file */
	FOR_LOGS = 64,	/* stats and log */
	FOR_PROBES = 128,
	ONLY_MASSIF_FILE = 256,	/* means nothing but for --massif-out-file, ... */
	ONLY_MASSIF = 512,	/* ... but for that and --format=massif or ms_print, ... */
	ONLY_MS_PRINT = 1024,	/* ... but for --format=ms_print */
	OF_TABLES = 2048,	/* matters to nothing but the tables of a profile of mprof's own */
	ONLY_PPROF = 4096,	/* means nothing but for pprof's formats; see pprof_check_use() */
	FOR_DETACH = 8192,	/* which takes all that is for a report, too */
	FOR_CONTROL = 16384,
	/* What is printed, and of what, without obeying it; see options_obeyed(). */
	NOT_JSON = 1 << 15,	/* of a log, or of its statistics */
	NOT_MASSIF = 1 << 16,	/* --format=massif, ms_print */
	NOT_STACKS = 1 << 17,	/* pprof's formats, the JSON of heap profiles, --list */
	NOT_FOR_TOOLS = 1 << 18, /* --format=heap, pprof: they have all there is */
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
	FOR_FILES = 1 << 24,	/* report alone: what is about several files means nothing for
				   detach */
	FOR_TRACING = FOR_RUN | FOR_ATTACH,
	FOR_PRINTING = FOR_RUN | FOR_REPORT | FOR_ATTACH,
	FOR_LOOKS = FOR_HEAP | FOR_LEAKS | FOR_RSS,
};

struct option_def {
	const char *name;	/* without dashes */
	uint64_t flags;
	const char *accepted;	/* its values, as the rest of "is not ..."; NULL if it has none */
	bool (*set)(struct options *o, const char *value); /* NULL value: none was given */
};

/* Beyond what an enum holds. */
#define FOR_DOCTOR (UINT64_C(1) << 32)
#define FOR_MERGE (UINT64_C(1) << 33)
#define FOR_TOP (UINT64_C(1) << 34)

/* Whose processes are there already. */
#define FOR_PROCESSES                                                                              \
	(FOR_ATTACH | FOR_DETACH | FOR_CONTROL | FOR_PROBES | FOR_LOOKS | FOR_DOCTOR | FOR_TOP)

/* The options that were given, in their order, separated by blanks; only those with one of @flags,
 * if that is not 0. */
void options_print_given(const struct options *o, uint64_t flags, FILE *out);

/* The first option that was given and has one of @flags; NULL: none. */
const struct option_def *options_find_given(const struct options *o, uint64_t flags);

/* For whom the options are that a command takes: FOR_... */
uint64_t options_of_command(const char *command);

/* Does one of the options of a command that was called with these arguments ask for its help? What
 * is behind a program that is to be run, or behind "--", is no option. */
bool options_ask_for_help(const char *command, int argc, char *const argv[], int first);

/* The tables there are, and their number. */
extern const struct option_def *const option_tables[];
extern const size_t n_option_tables;

/* Each ends with a row without a name. */
extern const struct option_def printing_options[], tracing_options[], massif_options[],
	heap_options[], pprof_options[], mma_options[], probe_options[], control_options[],
	look_options[], page_options[], gate_options[],
	doctor_options[], limit_options[], top_options[];

/* What holds before any option is given. */
void massif_defaults(struct options *o);
void heap_defaults(struct options *o);
void mma_defaults(struct options *o);
void look_defaults(struct options *o);
void top_defaults(struct options *o);

/* MPROF_ENGINE; and can the engine do what the other options want? False: a sentence has been
 * printed. */
bool engine_environment(struct options *o);
bool engine_check_options(struct options *o);
/* Can what they ask for be had with the other options? False: a sentence has been printed. */
bool limit_options_check(const struct options *o);
/* Options that decide about others, when all are known. False: a sentence has been printed. */
bool massif_check_options(struct options *o);

/* What is read. */
enum option_input { INPUT_DATA, INPUT_HEAP, INPUT_MASSIF, INPUT_LOG };

/* Is each option that was given obeyed by what is printed? None shall be dropped without a word.
 * False: a sentence has been printed. */
bool options_obeyed(const struct options *o, enum option_input input);

/* Is each option of pprof's formats, and of the tables, obeyed by somebody? They are in pprof's
 * formats, by
 * --list and in a difference as JSON. For profiles of mprof's own, when it is known that these are
 * read. False: a sentence has been printed. */
bool pprof_check_use(const struct options *o);

/* Is what they ask for something that google-pprof prints, too? */
bool pprof_is_used(const struct options *o);

/* What the environment says of heap profiles, before the options do. */
void heap_environment(struct options *o);

/* After the options. False: a variable that matters has no sense; a sentence has been printed. */
bool heap_environment_done(const struct options *o);

/* Those variables have been obeyed; who inherits our environment shall not obey them again. */
void heap_environment_take(void);

#endif
