/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_DAMAGE_H
#define MPROF_ATTACH_DAMAGE_H

#include "base/error.h"

#include <stdbool.h>

/**
 * Is the program in the file @path shorter than what its own headers have the kernel load? The
 * kernel refuses it, or kills the process that has executed it: once the old program is gone
 * execve(2) cannot return an error.
 * @why  says so, as a part of a sentence
 * False: it is not, is no 64-bit ELF file, or cannot be read.
 */
bool program_damaged(const char *path, struct error *why);

/* The process ended before the new program began, with @wstatus: set the sentence. Returns
 * -ECHILD. */
int launch_ended(const char *path, int wstatus, struct error *e);

/* The same if execve(2) failed with errno @err. Returns -@err. */
int launch_refused(const char *path, int err, struct error *e);

#endif
