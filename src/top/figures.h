/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_FIGURES_H
#define MPROF_TOP_FIGURES_H

#include "base/slowdown.h"
#include "naming/resolve.h"
#include "profile/profile.h"

#include <jansson.h>
#include <stdio.h>

/*
 * What a session has counted of a process at one moment, as numbers without names: JSON that a
 * session answers to CONTROL_FIGURES and that who shows it reads and names, so that nothing that
 * parses a program's files runs where it is traced, nor is done again each second. Where a profile
 * is very large only its heaviest and its busiest leaves are told apart.
 */
enum { FIGURES_VERSION = 3, FIGURES_LEAVES = 100000 };

/* What is told besides the profile. */
struct figures_head {
	uint64_t pid;	  /* of the process that they are of */
	uint64_t session; /* of the one whose session it is */
	uint64_t tracer;  /* the process that has the module files open */
	uint64_t image;	  /* how many programs the process has executed before this one */
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t elapsed_ns, worked_ns; /* as in struct session_cost */
	uint64_t lost;			/* events */
	uint64_t program;		/* number of the program's own file, or PD_NONE */
	struct cost_span cost; /* of the whole session, until now */
	bool fast, suspended;
};

/* What was counted of the leaves that are not told apart. */
struct figures_rest {
	uint64_t leaves, allocs, frees, live_bytes;
};

struct figures_file {
	const char *path;
	int fd; /* of the tracer's; -1: it has none */
};

/**
 * Write the figures as one JSON object on one line.
 * @max  so many leaves are told apart, FIGURES_LEAVES
 * Returns 0 or -ENOMEM; what could not be written shows in @out.
 */
int figures_write(const struct figures_head *h, const struct profile *p, size_t max,
		  const struct figures_file *files, size_t n_files, FILE *out);

/* The same as who shows them has them. */
struct figures {
	struct figures_head head;
	struct figures_rest rest;
	/* Only what resolve_profile_by() looks at, and what threads did; its leaves are those that
	 * are told apart. */
	struct profile profile;
	struct resolve_module *files; /* fd: a number of the tracer's, or -1 */
	size_t n_files;
};

/**
 * Understand what figures_write() has written, or anything else: all numbers of others in it are
 * those of something that is there.
 * Returns 0, and figures_release() is to be called; -ENOMEM; or -EINVAL: it makes no sense.
 */
int figures_read(const json_t *text, struct figures *out);
void figures_release(struct figures *f);

#endif
