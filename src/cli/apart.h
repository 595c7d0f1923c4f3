/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_APART_H
#define MPROF_CLI_APART_H

#include "cli/cli.h"

/**
 * Has each output that the options ask for files of its own? Two that are the same file, however
 * they are spelled, would destroy each other; so would one whose name another output may take
 * later, for a further process or a further heap profile. What is no regular file cannot be
 * destroyed. And has each a name at all: a sequence that stands for nothing is wrong usage, too.
 * False: a sentence has been printed.
 */
bool outputs_apart(const struct options *o);

/* The same for -o, --junit and --sarif of a command in whose names nothing is expanded, and for its
 * --html, which is of process @pid. */
bool printed_apart(const struct options *o, pid_t pid);

/* Is none of them the program @path, which is to run? False: a sentence has been printed. */
bool outputs_spare_program(const struct options *o, const char *path);

/* Does a session with these options write @file, an absolute name, for process @pid, or may it? */
bool outputs_write(const struct options *o, pid_t pid, const char *file);

/* Does no session that runs write one of the files that the options name? False: a sentence has
 * been printed. */
bool outputs_are_free(const struct options *o);

/* Are the files of -o, --junit and --sarif none of those that are read, up to @n or a NULL, which
 * they would destroy? False: a sentence has been printed. */
bool output_spares(const struct options *o, char *const files[], size_t n);

#endif
