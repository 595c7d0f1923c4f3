/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_FILENAME_H
#define MPROF_SESSION_FILENAME_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Expand a file name: %p is @pid, %q{VAR} the environment variable VAR, %% a per cent sign.
 * Returns a string for the caller to free(), or NULL with a sentence in @e: another sequence, a
 * variable that is not set, or out of memory.
 */
char *filename_expand(const char *pattern, pid_t pid, struct error *e);

/* The same; besides, %n is @nth (1...), the number of the process's file. */
char *filename_expand_nth(const char *pattern, pid_t pid, unsigned nth, struct error *e);

/* What a file is about, of those that are named by one pattern. */
struct filename_whose {
	pid_t pid;	/* of this process */
	bool further;	/* which is not the first that the pattern is used for: its number is in the
			   name */
	char before_pid; /* what stands before it there: '.', '_' */
	unsigned number; /* 0: the process's only file; or else this is in the name, too */
	unsigned nth;	/* what %n is, 1...; 0: that is no sequence here */
};

/**
 * The name of a file: the pattern expanded, and behind it .PID and .NUMBER as far as they are
 * wanted and not in the pattern themselves (%p, %n). /dev/null is not wanted of anybody, and stays
 * as it is. Returns as filename_expand().
 */
char *filename_of(const char *pattern, const struct filename_whose *w, struct error *e);

/* The same of a name that is no pattern. */
char *filename_derived(const char *name, const struct filename_whose *w, struct error *e);

/* How much of a pattern stands before @ending, ".html", which it may have: what tells files apart
 * goes between the two. */
size_t filename_stem(const char *pattern, const char *ending);

/* Whether % and this letter is in it. */
bool filename_has(const char *pattern, char sequence);

/* Whether the name tells processes apart by itself (%p). */
bool filename_has_pid(const char *pattern);

#endif
