/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_FILENAME_H
#define MPROF_SESSION_FILENAME_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Expand a file name: %p is @pid, %q{VAR} the environment variable VAR, %% a per cent sign.
 * Returns a string for the caller to free(), or NULL with a sentence in @e: unknown sequence,
 * variable not set, or out of memory.
 */
char *filename_expand(const char *pattern, pid_t pid, struct error *e);

/* Like filename_expand(); in addition, %n is @nth (1...), the number of the file within its
 * process. */
char *filename_expand_nth(const char *pattern, pid_t pid, unsigned nth, struct error *e);

/* What tells a file apart from others that are named by the same pattern. */
struct filename_whose {
	pid_t pid;	/* the process that the file is about */
	bool further;	/* not the first process that the pattern is used for: its pid goes into the
			   name */
	char before_pid; /* what stands before the pid in the name: '.', '_' */
	unsigned number; /* 0: the only file of its process; otherwise this number goes into the
			    name, too */
	unsigned nth;	/* the value of %n, 1...; 0: %n is not allowed */
};

/**
 * The name of a file: the pattern expanded, then .PID and .NUMBER, each only if @w asks for it and
 * the pattern does not contain it (%p, %n). /dev/null stays as it is. Returns as filename_expand().
 */
char *filename_of(const char *pattern, const struct filename_whose *w, struct error *e);

/* Like filename_of(), for a name that is not a pattern. */
char *filename_derived(const char *name, const struct filename_whose *w, struct error *e);

/* The length of @pattern without @ending (such as ".html") if it has that ending: PID and NUMBER go
 * in front of the ending. */
size_t filename_stem(const char *pattern, const char *ending);

/* True if the pattern contains % followed by this letter. */
bool filename_has(const char *pattern, char sequence);

/* True if the pattern contains %p, so that processes get different names. */
bool filename_has_pid(const char *pattern);

#endif
