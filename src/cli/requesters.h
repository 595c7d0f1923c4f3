/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_REQUESTERS_H
#define MPROF_CLI_REQUESTERS_H

#include "cli/looker.h"
#include "report/lost_paths.h"

/*
 * Who has requested the blocks that are lost. A looker knows their addresses, and the session who
 * requested what it has seen; names are for neither of them to find. So the looker writes the
 * addresses into a file and asks the session, which forks a copy of itself, the namer: that looks
 * the blocks up, names their paths, and writes what it has found into two files for the looker.
 *
 * The namer knows more than the session did when the program was held for the copy. So a block
 * counts only if it has been there since then: another one may have got its address. Of several
 * copies that a program ran on between, since the first: what was at that address in each of them
 * is the same block only then.
 */

/* Without names, shared by all three. */
struct requesters_files {
	bool open;
	int blocks; /* struct lost_request */
	int data;   /* a data file of a profile that counts these blocks */
};

int requesters_files_open(struct requesters_files *f);
void requesters_files_close(struct requesters_files *f);

/* ---- the namer ---- */

struct requesters_asked {
	const struct serve *serve;
	pid_t pid;
	/* CLOCK_MONOTONIC, when the program was held first and last */
	uint64_t since_ns, then_ns;
	struct requesters_files files;
};

/* What it does, for looker_begin(); @ctx: the above. */
int requesters_name(void *ctx, struct still_holder *holder);

/* ---- whoever looks ---- */

struct requesters {
	struct lost_requests requests; /* what the others come to */
	struct profile_data *d;
	struct lost_request *v;
};

/* Ask. Returns 0 or -errno, with a sentence in @e: nobody has said it. requesters_release() is to
 * be called either way. */
int requesters_find(struct requesters *r, struct still_holder *session,
		    const struct requesters_files *files, const struct reach *reach,
		    const struct spans *blocks, struct error *e);

void requesters_release(struct requesters *r);

#endif
