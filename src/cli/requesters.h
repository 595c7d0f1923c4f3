/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_REQUESTERS_H
#define MPROF_CLI_REQUESTERS_H

#include "cli/looker.h"
#include "report/lost_paths.h"

/*
 * Which paths have requested the lost blocks. A looker knows the addresses of these, and the
 * session has the requests that it observed; neither of them may look up names. So the looker
 * writes the addresses to a file and asks the session, which forks the namer, a copy of itself:
 * that finds the blocks, names their paths, and writes the results to two files for the looker.
 *
 * The namer's state is later than the copy of the program's memory. So a block counts only if it
 * has existed since the program was held for the copy: its address may have been reused. If there
 * are several copies of a running program, it must have existed since the first one, so that all
 * copies have the same block at that address.
 */

/* Unnamed files, shared by the three processes. */
struct requesters_files {
	bool open;
	int blocks; /* struct lost_request */
	int data;   /* a data file: a profile that counts these blocks */
};

/* Create the files, or close them. 0 or -errno. */
int requesters_files_open(struct requesters_files *f);
void requesters_files_close(struct requesters_files *f);

/* ---- the namer ---- */

struct requesters_asked {
	const struct serve *serve;
	pid_t pid;
	/* CLOCK_MONOTONIC, when the program was first and last held */
	uint64_t since_ns, then_ns;
	struct requesters_files files;
};

/* The body of a namer, for looker_begin(); @ctx: struct requesters_asked. */
int requesters_name(void *ctx, struct still_holder *holder);

/* ---- in the looker ---- */

struct requesters {
	struct lost_requests requests; /* in total */
	struct profile_data *d;
	struct lost_request *v;
};

/* Ask the session. Returns 0, or -errno with a sentence in @e, which has not been printed.
 * requesters_release() must be called in any case. */
int requesters_find(struct requesters *r, struct still_holder *session,
		    const struct requesters_files *files, const struct reach *reach,
		    const struct spans *blocks, struct error *e);

void requesters_release(struct requesters *r);

#endif
