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

/* A file that is mapped: the texts are its own. */
struct doctor_module {
	uint32_t file;
	char *path, *names, *build_id;
	char package[PACKAGE_NAME], debug_package[PACKAGE_NAME]; /* as struct packaged */
	bool unwind;
};

struct doctor {
	const struct options *o;
	pid_t pid; /* 0: it is about a program, or the machine */
	pid_t tid; /* its thread by which it is read: the leader may have ended */
	struct findings findings;
	struct rules rules;
	struct module_files files;
	uint32_t program; /* the number of its file */
	struct trapped trapped;
	struct ownheap *heaps; /* of each file */
	struct code_facts *code; /* of each file; NULL: not read yet */
	struct doctor_module *modules; /* the program first */
	size_t n_modules;
	bool packages; /* somebody could be asked about packages */
};

/* What a function is defined to do. */
const struct probe *doctor_probe(const struct doctor *d, const struct trapped_function *p);

/* Read from the files, which are known. 0 or -ENOMEM. */
int doctor_read_functions(struct doctor *d);
int doctor_read_modules(struct doctor *d);
void doctor_release_files(struct doctor *d);

/* Judge what is trapped. @fast_refused: why nothing could be put into it; NULL: it could. */
int doctor_judge_functions(struct doctor *d, const char *fast_refused);
int doctor_judge_modules(struct doctor *d);

/* What package each module that lacks lines is of, and which has its debug file. 0 or -ENOMEM. */
int doctor_ask_packages(struct doctor *d);

/* Count the calls that a process makes of these functions, as --count says. */
void doctor_count(const struct doctor *d, struct cost_facts *c, struct error *why);

/* The whole of it, for people and for programs. 0 or -errno. */
int doctor_print(const struct doctor *d, const char *of, FILE *out);
int doctor_print_json(const struct doctor *d, const char *of, FILE *out);

#endif
