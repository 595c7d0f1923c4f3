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

/* Exit statuses of mprof's own; those of a program it ran come through as they are. */
enum {
	STATUS_FAILED = 1,	/* it could not do what it was asked */
	STATUS_USAGE = 2,
	STATUS_NOT_THERE = 3,	/* no such process */
	STATUS_ZOMBIE = 4,	/* it has ended */
	STATUS_KERNEL_THREAD = 5,
	STATUS_TRACED = 6,	/* somebody else traces it */
	STATUS_NOT_PERMITTED = 7,
	STATUS_OURSELVES = 8,	/* mprof itself */
	STATUS_UNSUPPORTED = 9,	/* not a 64-bit program of this machine */
	STATUS_NO_ALLOCATOR = 10,
	STATUS_NO_SESSION = 11,
	STATUS_FOUND = 12,	/* what --fail-if says is so, unless --fail-status says otherwise */
	STATUS_CANNOT_RUN = 126, /* as shells do: found, but cannot be run */
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

/* What is shown of a heap profile in pprof's formats. */
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
	bool plain;	/* not humanized: for programs to read, and no progress messages */
	bool json;	/* stats, log: that instead of MMA's forms */
};

/* So many --debug-dir may be given. */
#define MAX_DEBUG_DIRS 16

/* So many names each may be given for --probes, --hook. */
#define MAX_NAMES 64

/* So many --snapshot-when may be given. */
#define MAX_SNAPSHOTS 16

/* What is trapped; the lists end with a NULL. */
struct probe_options {
	const char *files[MAX_NAMES + 1];	/* --probes */
	const char *hooks[MAX_NAMES + 1];	/* --hook */
	const char *malloc_libs[MAX_MALLOC_LIBS + 1];
	bool no_client_requests;
};

/* So many --alloc-fn, and so many --ignore-fn. */
#define MAX_FUNCTIONS 128

/* What is asked of Massif's profile. */
struct massif_options {
	const char *file;	/* --massif-out-file, with its % sequences; NULL: none is to be
				   written */
	struct massif_settings settings;
	bool unit_given;	/* --time-unit */
	unsigned columns, rows;	/* of ms_print's graph */
};

/* How calls are seen: --engine. */
enum engine_choice {
	ENGINE_TRAP,
	ENGINE_FAST,
	ENGINE_AUTO,	/* the fast one where it can be used */
};

/* So many --suppressions. */
#define MAX_SUPPRESSIONS 16

/* What is a failure, and who is told: the lists end with a NULL. */
struct gate_options {
	const char *fail_ifs[MAX_NAMES + 1];	/* --fail-if, each of which can be parsed */
	uint64_t fail_status;
	const char *suppressions[MAX_SUPPRESSIONS + 1];
	const char *base;	/* of growth; NULL: none */
	const char *junit, *sarif;	/* NULL: not wanted */
};

/* When is something coloured? */
enum screen_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* mprof top. */
struct top_options {
	struct top_how how;
	double interval;	/* seconds */
	bool once, batch;	/* print, and have no screen */
	unsigned rows;		/* so many are printed; 0: all */
};

struct options {
	const char *command;	/* "run", "report" ... */
	char **argv;		/* the options are argv[first...end) */
	int first, end;
	struct report_options report;
	struct view view;
	enum output_format format;
	bool format_given;	/* --format */
	bool to_stdout;		/* -o -: no file, but standard output */
	bool open;		/* report: show the page in a browser */
	const char *output;	/* -o; NULL: the command's default stream */
	const char *pids[MAX_NAMES + 1];	/* -p, as given; ends with a NULL */
	const char *data;	/* --data, as given, with its % sequences */
	const char *html;	/* --html, with its % sequences but for detach; NULL: no page */
	const char *symbols_from;	/* NULL: the names are those in the data file */
	const char *debug_dirs[MAX_DEBUG_DIRS + 1];	/* ends with a NULL */
	uint64_t min_size, max_size;	/* of requests that are recorded; 0: no limit */
	struct probe_options probes;
	/* each ends with a NULL */
	const char *alloc_fns[MAX_FUNCTIONS + 1], *ignore_fns[MAX_FUNCTIONS + 1];
	const char *own_code[MAX_NAMES + 1];	/* none: auto */
	struct massif_options massif;
	unsigned timeline_points;	/* in the data file, at most */
	struct pprof_options pprof;
	struct heapprofile_options heap;
	const char *heap_senseless; /* a variable of the environment whose value has no sense; NULL:
				       none */
	bool trace_children, trace_children_given;
	bool tree;		/* the children that a process has already, too */
	bool keep_execs;	/* of what a process did before it executed another program nothing
				   is left out */
	bool background;
	bool needs_control;	/* attach: nothing is done without a control socket */
	enum tracer_wait wait;
	enum engine_choice engine;
	bool one_cpu;		/* --wait=pin: tracer and program share a processor */
	bool stats;		/* tell how much work it was */
	bool check_unwinding;	/* compare every chain with one unwound afresh; for tests */
	bool quiet;		/* what nobody asked for is not said, unless something is missing */
	double duration;	/* seconds; 0: without end */
	double growth;		/* --growth: seconds; 0: the report is another */
	double verdict_after;	/* seconds after which there are verdicts; 0: the usual */
	struct mma_options mma;
	enum before_how before;	/* attach: what of the blocks that are there already is looked at */
	uint64_t max_pause_ms;	/* so long a process may be stopped for a look at it */
	bool classes;		/* heap: a row for each class */
	bool modules;		/* rss: a row for each file */
	enum screen_colour colour;
	bool no_pager;		/* report */
	bool no_idioms, lists_possible;	/* leaks */
	bool copy_anyway;	/* --memory=copy: though it takes more than half of what there is */
	uint64_t passes;	/* leaks: copies while it runs; 0: one, for which it is stopped */
	struct gate_options gate;
	struct snapshot_when snapshots[MAX_SNAPSHOTS]; /* --snapshot-when */
	size_t n_snapshots;
	struct over_limit over;	/* --max-slowdown, --over */
	bool over_given;	/* --over */
	uint64_t max_memory;	/* --max-memory; 0: no limit */
	struct top_options top;
	double count_seconds;	/* doctor: --count; 0: calls are not counted */
	uint64_t autosave;	/* save after every so many allocations; 0: at the end only */
};

/**
 * Parse the options in argv[first...], wherever they stand before "--"; of "run" only those before
 * the program. One or two dashes alike.
 * @command  "run", "report" ...: which options are allowed; used in messages
 * @argv     the options, with their values, come to stand before the other arguments
 * Returns the index of the first argument that is no option, or -1: a sentence has been printed.
 */
int options_parse(struct options *o, const char *command, int argc, char **argv, int first);

/* One line on standard error: "mprof: " and the sentence. */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);

/* The same of a whole sentence, for rooms that do not print: a say_fn. */
void say_sentence(const char *sentence);

/* A whole number from 1 to INT_MAX. False: it is not one. */
bool parse_pid(const char *text, pid_t *pid);

int command_run(int argc, char **argv);
int command_attach(int argc, char **argv);
/* The same for who will ask the session: without a control socket it is not begun. */
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
/* mprof [options] [a.out [mprof.data]], as in 1990. */
int command_classic(int argc, char **argv);

/* Print a profile as the options say; what they leave out is taken out of @d. @hushed: nothing is
 * said of it besides. 0, -errno, or PRINT_SAID: it failed, and a sentence has been printed. */
#define PRINT_SAID 1
int print_profile(struct profile_data *d, const struct options *o, bool hushed, FILE *out);

#endif
