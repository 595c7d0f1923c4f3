/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_APART_H
#define MPROF_CLI_APART_H

#include "cli/cli.h"

/**
 * True if each output that the options ask for has files of its own. Two that are the same file,
 * however they are spelled, would destroy each other; so would one whose name another output may
 * use later, for another process or another heap profile. None is a file of --probes or
 * --suppressions. Only regular files can be destroyed. A name with an unknown sequence is wrong
 * usage, too.
 * False: a sentence has been printed.
 */
bool outputs_apart(const struct options *o);

/* The same for -o, --junit and --sarif of a command whose file names have no sequences, and for its
 * --html, which is of process @pid. */
bool printed_apart(const struct options *o, pid_t pid);

/* True if no output is the program @path, which is about to run. False: a sentence has been
 * printed. */
bool outputs_spare_program(const struct options *o, const char *path);

/* True if a session with these options writes, or may write, @file, an absolute name, for process
 * @pid. */
bool outputs_write(const struct options *o, pid_t pid, const char *file);

/* True if no running session writes a file that the options name. False: a sentence has been
 * printed. */
bool outputs_are_free(const struct options *o);

/* True if the files of -o, --junit and --sarif are none of the input files, up to @n or a NULL, and
 * not that of --symbols-from: they would destroy them. False: a sentence has been printed. */
bool output_spares(const struct options *o, char *const files[], size_t n);

#endif
