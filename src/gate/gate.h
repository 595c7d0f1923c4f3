/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_GATE_H
#define MPROF_GATE_GATE_H

#include "gate/rows.h"
#include "gate/suppressions.h"
#include "naming/sought.h"
#include "profile/runtime.h"

#include <stdio.h>

/*
 * Conditions under which a run has failed, checked against the profile of each process. All that
 * was recorded counts, even if the tables leave it out.
 */

/* The result of one condition for one process. */
struct gate_result {
	uint32_t process;   /* index into gate.processes */
	uint32_t condition; /* index into gate.conditions */
	enum gate_outcome outcome;
	struct gate_value now, base; /* base: for growth */
	struct gate_rows rows;	     /* if the condition holds */
};

struct gate_process {
	uint32_t pid;
	char *program; /* argv[0], or "?" */
	uint64_t started_ns, ended_ns; /* CLOCK_REALTIME */
	/* Not counted by any condition: */
	uint64_t unknown_frees; /* of blocks that are neither inherited nor from before */
	uint64_t missed;	/* blocks that may have been freed unobserved during a pause */
	struct pd_sum runtime[RUNTIME_KINDS]; /* kept by the runtime and not suppressed */
	bool before;		/* there were blocks from before, or it is not known */
};

struct gate {
	struct gate_condition *conditions;
	bool *met;     /* for each condition: some process has a function that matches it */
	bool *nowhere; /* ... or no file has one: gate_set_nowhere() */
	size_t n_conditions;
	struct gate_suppressions suppressions;
	struct profile_data *base; /* owned by the gate; NULL: none was given */
	uint32_t *suppressed_base;
	struct gate_process *processes;
	size_t n_processes, cap_processes;
	struct sought_file *files; /* the files of all processes */
	size_t n_files, cap_files;
	struct gate_result *results;
	size_t n_results, cap_results;
};

/* Parse conditions into @g, which is zeroed at first. @texts: ended by NULL; not copied; duplicates
 * are dropped. 0, -EINVAL: one is malformed, or -ENOMEM. */
int gate_add_conditions(struct gate *g, const char *const *texts);
void gate_release(struct gate *g);

/* The first condition about growth; NULL: none. */
const struct gate_condition *gate_growth(const struct gate *g);

/* Set the base of growth; takes ownership. Suppressions must be set before. 0 or -ENOMEM. */
int gate_set_base(struct gate *g, struct profile_data *base);

/* Check the profile of a process against all conditions. @d is not changed. 0 or -ENOMEM. */
int gate_judge(struct gate *g, const struct profile_data *d);

/* The worst of all results: broken, cannot tell, passed. */
enum gate_outcome gate_outcome(const struct gate *g);

/* True if no function of any process matches the condition. */
bool gate_is_unmet(const struct gate *g, size_t condition);
#define GATE_UNMET "--fail-if=%s: nothing was requested by a function of this name"

/* Set that no file has a function that matches the condition: where it passed, the result becomes
 * "cannot tell". */
void gate_set_nowhere(struct gate *g, size_t condition);

/**
 * A sentence on what the figures do not count because the runtime keeps it.
 * False: there is nothing to say for this process.
 */
bool gate_runtime_print(const struct gate *g, uint32_t process, char *text, size_t size);

/* "there are 240 bytes, and in the base 140 bytes"; or a range, and why it is not exact. */
void gate_result_print(const struct gate *g, const struct gate_result *r, char *text, size_t size);

/* Print the rows of a result for people, each on an indented line. 0 or -errno. */
int gate_rows_print(const struct gate *g, const struct gate_result *r, FILE *out);

/* For several processes: print a table with the figures of each condition, and a line with their
 * sums where these mean something. 0 or -errno. */
int gate_table_print(const struct gate *g, FILE *out);

/* Print for CI systems: JUnit XML, and SARIF 2.1.0. 0 or -errno.
 * @root  source files below this folder are named relative to it; NULL: none */
int gate_print_junit(const struct gate *g, FILE *out);
int gate_print_sarif(const struct gate *g, const char *root, FILE *out);

#endif
