/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_FIGURES_H
#define MPROF_TOP_FIGURES_H

#include "base/slowdown.h"
#include "naming/resolve.h"
#include "profile/profile.h"

#include <jansson.h>
#include <stdio.h>

/*
 * What a session has counted for a process at one moment, as numbers without names: JSON by which a
 * session answers CONTROL_FIGURES. The client reads it and looks up the names, so that no code that
 * parses a program's files runs in the tracer, and names are not looked up again each second. Of a
 * very large profile only the leaves with most live bytes and those with most requests are listed.
 */
enum { FIGURES_VERSION = 4, FIGURES_LEAVES = 100000 };

/* Values besides the profile. */
struct figures_head {
	uint64_t pid;	  /* process that the figures are about */
	uint64_t session; /* process whose session it is */
	uint64_t tracer;  /* pid of the process that has the module files open */
	uint64_t image;	  /* number of programs that the process had executed before this one */
	uint64_t restarts; /* how often mprof_restart() has begun the profile anew */
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t elapsed_ns, worked_ns; /* as in struct session_cost */
	uint64_t lost;			/* events */
	uint64_t program;		/* number of the program's own file, or PD_NONE */
	struct cost_span cost; /* of the whole session, until now */
	bool fast, suspended;
};

/* The sum over the leaves that are not listed. */
struct figures_rest {
	uint64_t leaves, allocs, frees, live_bytes;
};

struct figures_file {
	const char *path;
	int fd; /* a descriptor in the tracer; -1: none */
};

/**
 * Write the figures as one JSON object on one line.
 * @max  list so many leaves, FIGURES_LEAVES
 * Returns 0 or -ENOMEM; errors of writing are those of @out.
 */
int figures_write(const struct figures_head *h, const struct profile *p, size_t max,
		  const struct figures_file *files, size_t n_files, FILE *out);

/* The figures as read by the client. */
struct figures {
	struct figures_head head;
	struct figures_rest rest;
	/* Only what resolve_profile_by() uses, and what threads did; its leaves are those that are
	 * listed. */
	struct profile profile;
	struct resolve_module *files; /* fd: a descriptor in the tracer, or -1 */
	size_t n_files;
};

/**
 * Parse what figures_write() has written. It is untrusted: indices are checked to be in range.
 * Returns 0, and figures_release() must be called; -ENOMEM; or -EINVAL: malformed.
 */
int figures_read(const json_t *text, struct figures *out);
void figures_release(struct figures *f);

#endif
