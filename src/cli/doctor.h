/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_DOCTOR_H
#define MPROF_CLI_DOCTOR_H

#include "cli/options.h"
#include "cli/packages.h"
#include "cli/trapped.h"
#include "doctor/judge.h"
#include "naming/codefiles.h"
#include "naming/ownheaps.h"

/* What mprof doctor has read; src/doctor judges it. */

/* A mapped file; owns the texts. */
struct doctor_module {
	uint32_t file;
	char *path, *names, *build_id;
	char package[PACKAGE_NAME], debug_package[PACKAGE_NAME]; /* as struct packaged */
	bool unwind;
};

struct doctor {
	const struct options *o;
	pid_t pid; /* 0: a program, or the machine */
	pid_t tid; /* a thread that has not ended, to read /proc: the leader may have */
	struct findings findings;
	struct rules rules;
	struct module_files files;
	uint32_t program; /* number of its file */
	struct trapped trapped;
	struct ownheap *heaps; /* by file */
	struct code_facts *code; /* by file; NULL: not read yet */
	struct doctor_module *modules; /* the program first */
	size_t n_modules;
	bool packages; /* the package manager could be run */
};

/* The definition of a function. */
const struct probe *doctor_probe(const struct doctor *d, const struct trapped_function *p);

/* Read the mapped files. 0 or -ENOMEM. */
int doctor_read_functions(struct doctor *d);
int doctor_read_modules(struct doctor *d);
void doctor_release_files(struct doctor *d);

/* Judge what is trapped. @fast_refused: why the agent could not be injected; NULL: it could. */
int doctor_judge_functions(struct doctor *d, const char *fast_refused);
int doctor_judge_modules(struct doctor *d);

/* Find the package of each module that lacks lines, and the package of its debug file. 0 or
 * -ENOMEM. */
int doctor_ask_packages(struct doctor *d);

/* Count the process's calls of these functions, for --count. */
void doctor_count(const struct doctor *d, struct cost_facts *c, struct error *why);

/* Print all findings, for people or as JSON. 0 or -errno. */
int doctor_print(const struct doctor *d, const char *of, FILE *out);
int doctor_print_json(const struct doctor *d, const char *of, FILE *out);

#endif
