/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TOP_LOOK_H
#define MPROF_TOP_LOOK_H

#include "top/figures.h"

/* A thread that has requested or freed a block that was counted. */
struct top_thread {
	int32_t task;
	struct thread_counts did;
	char name[120]; /* "": it is not known */
	bool ended;
};

/* One look at a process: what was counted by then, with names. */
struct top_look {
	struct figures_head head;
	struct figures_rest rest;
	struct profile_data *data;
	uint32_t *own; /* by node: where a reader begins, see own_code_nodes() */
	struct top_thread *by_thread; /* in the order in which they were first seen */
	size_t n_by_thread;
	/* Of the process itself; 0: not known. */
	uint64_t rss_kib, threads;
};

/*
 * Who names looks at one process: what is found out about its files, in a confined process, is kept
 * between them.
 * A zeroed one with its search can be used, and released.
 */
struct top_namer {
	struct symbols_search search; /* what it points to outlives the namer */
	say_fn *say; /* told what is left out */
	struct namer namer;
	struct resolve_module *files;
	size_t n_files, cap_files;
	uint64_t tracer; /* whose files they are */
};

/* Opens a file of the tracer's: a descriptor, or -1. */
typedef int top_open_fn(uint64_t tracer, int fd);

/**
 * Give names to figures.
 * @open     asked once for each file
 * @jit_map  as in struct resolve_how
 * @types    types are wanted, too, which takes longer
 * @out      its rss, threads, their names and ends are the caller's; top_look_release() is to be
 *           called
 * Returns 0 or -ENOMEM.
 */
int top_name(struct top_namer *n, const struct figures *f, top_open_fn *open, int jit_map,
	     bool types, struct top_look *out);
void top_namer_release(struct top_namer *n);
void top_look_release(struct top_look *l);

/* Are both of the same program, one after the other, so that there are differences? */
bool top_look_follows(const struct top_look *l, const struct top_look *before);

/* The figures in front of all rows. */
struct top_head {
	uint64_t pid;
	double seconds; /* since the session began */
	uint64_t live_bytes, live_blocks, allocs, frees;
	uint64_t truncated, unknown_frees, lost;
	uint64_t rss_kib, threads;
	uint64_t left_out; /* leaves that are in these and in no row */
	bool fast, suspended;
	/* In the time since the look before, if there was one. */
	bool has_rates;
	double allocs_per_s, frees_per_s, busy_percent;
	double slowdown; /* 0: not known; see slowdown_of() */
	double fast_slowdown; /* what the fast engine would make of it; 0: it is that, or nobody
				 knows */
};

/* @before: NULL: there was none. */
struct top_head top_head(const struct top_look *now, const struct top_look *before);

#endif
