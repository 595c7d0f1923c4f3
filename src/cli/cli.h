/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_H
#define MPROF_CLI_H

#include "attach/tracer.h"
#include "probes/rules.h"
#include "heapprofile/heapprofile.h"
#include "massif/settings.h"
#include "pprof/print.h"
#include "report/report.h"
#include "naming/view.h"
#include "session/over.h"
#include "session/snapshot_when.h"
#include "top/rows.h"

#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses of mprof itself; those of a program that it ran are passed on. */
enum {
	STATUS_FAILED = 1,	/* it could not do what was asked */
	STATUS_USAGE = 2,
	STATUS_NOT_THERE = 3,	/* no such process */
	STATUS_ZOMBIE = 4,	/* it has ended */
	STATUS_KERNEL_THREAD = 5,
	STATUS_TRACED = 6,	/* traced by another process */
	STATUS_NOT_PERMITTED = 7,
	STATUS_OURSELVES = 8,	/* mprof itself */
	STATUS_UNSUPPORTED = 9,	/* not a 64-bit program of this machine */
	STATUS_NO_ALLOCATOR = 10,
	STATUS_NO_SESSION = 11,
	STATUS_FOUND = 12,	/* a condition of --fail-if holds, unless --fail-status sets another
				   status */
	STATUS_CANNOT_RUN = 126, /* as in shells: found, but not executable */
	STATUS_NOT_FOUND = 127,
};

enum output_format {
	FORMAT_TABLES,
	FORMAT_JSON,
	FORMAT_MASSIF,
	FORMAT_MS_PRINT,
	FORMAT_TEXT,
	FORMAT_FOLDED,
	FORMAT_HEAP,
	FORMAT_PPROF,
	FORMAT_DOT,
	FORMAT_HTML,
};

/* Options for a heap profile in pprof's formats. */
struct pprof_options {
	enum heap_value value;
	enum heap_grain grain;
	bool show_bytes, drop_negative, cumulative;
	const char *base, *focus, *ignore, *list; /* NULL: none */
	struct heap_graph graph;
};

/* MMA's outputs. */
struct mma_options {
	const char *log_file, *stats_file;	/* as given, with % sequences; NULL: not wanted */
	bool plain;	/* not humanized: for programs that parse it; no progress messages */
	bool json;	/* stats, log: JSON instead of MMA's forms */
};

/* The most --debug-dir. */
#define MAX_DEBUG_DIRS 16

/* The most --probes, and the most --hook. */
#define MAX_NAMES 64

/* The most --snapshot-when. */
#define MAX_SNAPSHOTS 16

/* What is trapped; the lists end with a NULL. */
struct probe_options {
	const char *files[MAX_NAMES + 1];	/* --probes */
	const char *hooks[MAX_NAMES + 1];	/* --hook */
	const char *malloc_libs[MAX_MALLOC_LIBS + 1];
	bool no_client_requests;
};

/* The most --alloc-fn, and the most --ignore-fn. */
#define MAX_FUNCTIONS 128

/* Options of Massif's profile. */
struct massif_options {
	const char *file;	/* --massif-out-file, with % sequences; NULL: not wanted */
	struct massif_settings settings;
	bool unit_given;	/* --time-unit */
	unsigned columns, rows;	/* of ms_print's graph */
};

/* Which engine observes calls: --engine. */
enum engine_choice {
	ENGINE_TRAP,
	ENGINE_FAST,
	ENGINE_AUTO,	/* the fast engine where it can be used */
};

/* The most --suppressions. */
#define MAX_SUPPRESSIONS 16

/* What is a failure, and where it is reported; the lists end with a NULL. */
struct gate_options {
	const char *fail_ifs[MAX_NAMES + 1];	/* --fail-if; all are valid */
	uint64_t fail_status;
	const char *suppressions[MAX_SUPPRESSIONS + 1];
	const char *base;	/* the base of growth; NULL: none */
	const char *junit, *sarif;	/* NULL: not wanted */
};

/* When to use colours. */
enum screen_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* mprof top. */
struct top_options {
	struct top_how how;
	double interval;	/* seconds */
	bool once, batch;	/* print instead of using the screen */
	unsigned rows;		/* number of rows to print; 0: all */
};

struct options {
	const char *command;	/* its name: "run", "report" ... */
	char **argv;		/* the options are argv[first...end) */
	int first, end;
	struct report_options report;
	struct view view;
	enum output_format format;
	bool format_given;	/* --format */
	bool to_stdout;		/* -o -: standard output instead of a file */
	bool open;		/* report: show the page in a browser */
	const char *output;	/* -o; NULL: the command's default */
	const char *pids[MAX_NAMES + 1];	/* -p, as given; NULL-terminated */
	const char *data;	/* --data, with % sequences */
	const char *html;	/* --html, with % sequences except for detach; NULL: no page */
	const char *symbols_from;	/* NULL: use the names in the data file */
	const char *debug_dirs[MAX_DEBUG_DIRS + 1];	/* NULL-terminated */
	uint64_t min_size, max_size;	/* requests that are recorded; 0: no limit */
	struct probe_options probes;
	/* NULL-terminated */
	const char *alloc_fns[MAX_FUNCTIONS + 1], *ignore_fns[MAX_FUNCTIONS + 1];
	const char *own_code[MAX_NAMES + 1];	/* empty: auto */
	struct massif_options massif;
	unsigned timeline_points;	/* in the data file, at most */
	struct pprof_options pprof;
	struct heapprofile_options heap;
	const char *heap_senseless; /* an environment variable with an invalid value; NULL: none */
	bool trace_children, trace_children_given;
	bool tree;		/* attach also to existing descendants */
	bool keep_execs;	/* keep what a process did before it executed another program */
	bool background;
	bool needs_control;	/* attach: fail without a control socket */
	enum tracer_wait wait;
	enum engine_choice engine;
	bool one_cpu;		/* --wait=pin: tracer and program share a processor */
	bool stats;		/* report the work that was done */
	bool check_unwinding;	/* compare every chain with one unwound afresh; for tests */
	bool quiet;		/* say only what was asked for, or what is missing */
	double duration;	/* seconds; 0: no limit */
	double growth;		/* --growth: seconds; 0: another report */
	double verdict_after;	/* verdicts begin after so many seconds; 0: default */
	struct mma_options mma;
	enum before_how before;	/* attach: which blocks that exist already are looked at */
	uint64_t max_pause_ms;	/* longest time to stop a process for a look */
	bool classes;		/* heap: rows by class */
	bool modules;		/* rss: rows by file */
	enum screen_colour colour;
	bool no_pager;		/* report */
	bool no_idioms, lists_possible;	/* leaks */
	bool copy_anyway;	/* --memory=copy: even if it takes more than half of the available
				   memory */
	uint64_t passes;	/* leaks: number of copies while it runs; 0: one copy while it is
				   stopped */
	struct gate_options gate;
	struct snapshot_when snapshots[MAX_SNAPSHOTS]; /* --snapshot-when */
	size_t n_snapshots;
	struct over_limit over;	/* --max-slowdown, --over */
	bool over_given;	/* --over */
	uint64_t max_memory;	/* --max-memory; 0: no limit */
	struct top_options top;
	double count_seconds;	/* doctor: --count; 0: do not count calls */
	uint64_t autosave;	/* save after this number of allocations; 0: at the end only */
};

/**
 * Parse the options in argv[first...] wherever they are before "--"; for "run" only those before
 * the program. They may begin with one or two dashes.
 * @command  "run", "report" ...: decides which options are allowed; used in messages
 * @argv     reordered: the options, with their values, come before the other arguments
 * Returns the index of the first argument that is not an option, or -1: a sentence has been
 * printed.
 */
int options_parse(struct options *o, const char *command, int argc, char **argv, int first);

/* Print a line to standard error: "mprof: " and the sentence. */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);

/* The same for a whole sentence, for rooms that do not print: a say_fn. */
void say_sentence(const char *sentence);

/* Parse a whole number from 1 to INT_MAX. False: it is not one. */
bool parse_pid(const char *text, pid_t *pid);

int command_run(int argc, char **argv);
int command_attach(int argc, char **argv);
/* The same for a caller that will talk to the session: fails without a control socket. */
int attach_controlled(int argc, char **argv);
int command_detach(int argc, char **argv);
int command_control(int argc, char **argv);
int command_status(int argc, char **argv);
int command_report(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_probes(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_log(int argc, char **argv);
int command_heap(int argc, char **argv);
int command_rss(int argc, char **argv);
int command_leaks(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_top(int argc, char **argv);
/* mprof [options] [a.out [mprof.data]]: the original command line of 1990. */
int command_classic(int argc, char **argv);

/* Print a profile as the options say; what they leave out is removed from @d. @hushed: no sentences
 * about it besides. 0, -errno, or PRINT_SAID: it failed, and a sentence has been printed. */
#define PRINT_SAID 1
int print_profile(struct profile_data *d, const struct options *o, bool hushed, FILE *out);

#endif
