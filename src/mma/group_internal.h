/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_GROUP_INTERNAL_H
#define MPROF_MMA_GROUP_INTERNAL_H

/* What group.c (processes, their logs, the order of everything) and recorder.c (what an event of a
 * program is in a log) share. */

#include "mma/group.h"
#include "mma/order.h"
#include "mma/writer.h"

struct mma_process {
	struct mma_process *next;
	struct mma_group *group;
	pid_t pid;
	char *name;			/* of its log; NULL: it has none */
	struct mma_writer *log;		/* NULL: none, or closed */
	int log_err;			/* from closing it */
	struct mma_space space;
	struct mma_order order;
	const struct recorder *program;	/* that of its latest image; earlier ones are over */
	uint64_t end_ns;		/* of its program */
	bool ended;
};

/* The process @pid for another image: a new one, or one that has exec'ed. NULL: out of memory. */
struct mma_process *mma_group_join(struct mma_group *g, pid_t pid, uint64_t now_ns);

/* A call that has returned, or a time stamp. */
void mma_process_call(struct mma_process *p, const struct mma_entry *e);
void mma_process_stamp(struct mma_process *p, uint32_t tid, uint64_t now_ns);

/* A realloc of a block begins, and ends: @e is its entry, NULL if it was abandoned. */
void mma_process_realloc(struct mma_process *p, int32_t task, uint64_t ptr);
void mma_process_realloc_end(struct mma_process *p, int32_t task, uint64_t ptr,
			     const struct mma_entry *e, uint64_t now_ns);

/* Its program is over. Whether the process is, too, is told by what comes next. */
void mma_process_end(struct mma_process *p, uint64_t now_ns);

void mma_group_suspended(struct mma_group *g);

#endif
