/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_LOOK_H
#define MPROF_TOP_LOOK_H

#include "top/figures.h"

/* A thread that has requested or freed a block. */
struct top_thread {
	int32_t task;
	struct thread_counts did;
	char name[120]; /* "": not known */
	bool ended;
};

/* A look at a process: what was counted until then, with names. */
struct top_look {
	struct figures_head head;
	struct figures_rest rest;
	struct profile_data *data;
	uint32_t *own; /* for each node: where readers begin, see own_code_nodes() */
	struct top_thread *by_thread; /* in the order of their first events */
	size_t n_by_thread;
	/* Of the process; 0: not known. */
	uint64_t rss_kib, threads;
};

/*
 * Looks up the names for looks at one process; the results of reading its files, in a confined
 * process, are kept between looks. Before use it must be zeroed and @search set.
 */
struct top_namer {
	struct symbols_search search; /* what it points to must outlive the namer */
	say_fn *say; /* told what is left out */
	struct namer namer;
	struct resolve_module *files;
	size_t n_files, cap_files;
	uint64_t tracer; /* the process that has the files open */
};

/* Opens a file of the tracer: returns a descriptor, or -1. */
typedef int top_open_fn(uint64_t tracer, int fd);

/**
 * Look up the names for figures.
 * @open     called once for each file
 * @jit_map  as in struct resolve_how
 * @types    with types, which takes longer
 * @out      the caller sets its rss, threads and their names and ends; release it by
 *           top_look_release()
 * Returns 0 or -ENOMEM.
 */
int top_name(struct top_namer *n, const struct figures *f, top_open_fn *open, int jit_map,
	     bool types, struct top_look *out);
void top_namer_release(struct top_namer *n);
void top_look_release(struct top_look *l);

/* True if both are of the same program, one after the other, so that they can be compared. */
bool top_look_follows(const struct top_look *l, const struct top_look *before);

/* The figures shown above all rows. */
struct top_head {
	uint64_t pid;
	double seconds; /* since the session began */
	uint64_t live_bytes, live_blocks, allocs, frees;
	uint64_t truncated, unknown_frees, lost;
	uint64_t rss_kib, threads;
	uint64_t left_out; /* leaves that are counted here but in no row */
	bool fast, suspended;
	/* Since the previous look, if there was one. */
	bool has_rates;
	double allocs_per_s, frees_per_s, busy_percent;
	double slowdown; /* 0: not known; see slowdown_of() */
	double fast_slowdown; /* estimate for the fast engine; 0: it is in use, or not known */
};

/* @before: the previous look; NULL: none. */
struct top_head top_head(const struct top_look *now, const struct top_look *before);

#endif
