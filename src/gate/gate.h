/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_GATE_H
#define MPROF_GATE_GATE_H

#include "gate/rows.h"
#include "gate/suppressions.h"
#include "naming/sought.h"
#include "profile/runtime.h"

#include <stdio.h>

/*
 * Conditions under which a run has failed, held against the profile of each process. It counts all
 * that was recorded, whatever is left out of the tables.
 */

/* What came of one condition in one process. */
struct gate_result {
	uint32_t process;   /* index into gate.processes */
	uint32_t condition; /* index into gate.conditions */
	enum gate_outcome outcome;
	struct gate_value now, base; /* base: of growth */
	struct gate_rows rows;	     /* if it holds */
};

struct gate_process {
	uint32_t pid;
	char *program; /* argv[0], or "?" */
	uint64_t started_ns, ended_ns; /* CLOCK_REALTIME */
	/* What no condition counts: */
	uint64_t unknown_frees; /* of blocks that were not inherited, nor from before */
	uint64_t missed;	/* that may have been freed in a pause, in which nothing was seen */
	struct pd_sum runtime[RUNTIME_KINDS]; /* what it keeps and nobody suppresses */
	bool before;		/* there were blocks already, or nobody knows */
};

struct gate {
	struct gate_condition *conditions;
	bool *met;     /* of each: some process has a function that it is about */
	bool *nowhere; /* ... or none has it, in whatever file: gate_set_nowhere() */
	size_t n_conditions;
	struct gate_suppressions suppressions;
	struct profile_data *base; /* NULL: none was given; belongs to the gate */
	uint32_t *suppressed_base;
	struct gate_process *processes;
	size_t n_processes, cap_processes;
	struct sought_file *files; /* those of all processes */
	size_t n_files, cap_files;
	struct gate_result *results;
	size_t n_results, cap_results;
};

/* What is in @g, zeroed at first. @texts: conditions, as given, with NULL behind the last; they are
 * kept, each once. 0, -EINVAL: one makes no sense, or -ENOMEM. */
int gate_add_conditions(struct gate *g, const char *const *texts);
void gate_release(struct gate *g);

/* The first condition about growth; NULL: none. */
const struct gate_condition *gate_growth(const struct gate *g);

/* The base of growth, which becomes the gate's; suppressions are known by then. 0 or -ENOMEM. */
int gate_set_base(struct gate *g, struct profile_data *base);

/* Hold the profile of a process against all conditions. It stays as it is. 0 or -ENOMEM. */
int gate_judge(struct gate *g, const struct profile_data *d);

/* Of all results the worst: broken, cannot tell, passed. */
enum gate_outcome gate_outcome(const struct gate *g);

/* Does a condition say something about no function at all? */
bool gate_is_unmet(const struct gate *g, size_t condition);
#define GATE_UNMET "--fail-if=%s: nothing was requested by a function of this name"

/* There is no function of the name that it is about, so that it says nothing: what it has passed
 * cannot be told. */
void gate_set_nowhere(struct gate *g, size_t condition);

/**
 * What figures have not counted, for the runtime keeps it, in a sentence.
 * False: there is nothing to say of this process.
 */
bool gate_runtime_print(const struct gate *g, uint32_t process, char *text, size_t size);

/* "there are 240 bytes, and in the base 140 bytes"; or between what, and why that is. */
void gate_result_print(const struct gate *g, const struct gate_result *r, char *text, size_t size);

/* The rows of a result for people, each on a line that begins with blanks. 0 or -errno. */
int gate_rows_print(const struct gate *g, const struct gate_result *r, FILE *out);

/* With several processes: a table of them, with what is known of each condition, and a line for
 * what all have together where that means something. 0 or -errno. */
int gate_table_print(const struct gate *g, FILE *out);

/* For CI systems: JUnit's XML, and SARIF 2.1.0. 0 or -errno.
 * @root  source files below this folder are named relative to it; NULL: there is none */
int gate_print_junit(const struct gate *g, FILE *out);
int gate_print_sarif(const struct gate *g, const char *root, FILE *out);

#endif
