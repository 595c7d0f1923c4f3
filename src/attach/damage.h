/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_DAMAGE_H
#define MPROF_ATTACH_DAMAGE_H

#include "base/error.h"

#include <stdbool.h>

/**
 * Is the program in the file @path shorter than what its own headers have the kernel load? The
 * kernel refuses it, or kills who has executed it: once the old program is gone nobody is left whom
 * it could tell.
 * @why  that it is, as a part of a sentence
 * False: it is not, is no 64-bit ELF file, or cannot be read.
 */
bool program_damaged(const char *path, struct error *why);

/* A program that was to be run has ended before it began, as @wstatus says: the sentence.
 * Returns -ECHILD. */
int launch_ended(const char *path, int wstatus, struct error *e);

/* The same of one for which execve(2) has given @err, a positive number, which is negated. */
int launch_refused(const char *path, int err, struct error *e);

#endif
