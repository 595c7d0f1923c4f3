/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_GROUP_INTERNAL_H
#define MPROF_MMA_GROUP_INTERNAL_H

/* Shared by group.c (processes, their logs, the order of entries) and recorder.c (from events to
 * entries). */

#include "mma/group.h"
#include "mma/order.h"
#include "mma/writer.h"

struct mma_process {
	struct mma_group *group;
	pid_t pid;
	unsigned nth;			/* number of processes before it with the same pid */
	char *name;			/* of its log; NULL: none */
	struct mma_writer *log;		/* NULL: none, or closed */
	int log_err;			/* result of closing it */
	struct mma_space space;
	struct mma_order order;
	const struct recorder *program;	/* the recorder of its latest image; earlier ones are
					   over */
	uint64_t end_ns;		/* end of its program */
	bool ended;
};

/* Get the process @pid for another image: a new process, or one that has exec'ed. NULL: out of
 * memory. */
struct mma_process *mma_group_join(struct mma_group *g, pid_t pid, uint64_t now_ns);

/* Log a call that has returned, or a time stamp. */
void mma_process_call(struct mma_process *p, const struct mma_entry *e);
void mma_process_stamp(struct mma_process *p, uint32_t tid, uint64_t now_ns);

/* A realloc of a block has begun; it has ended: @e is its entry, NULL if it was abandoned. */
void mma_process_realloc(struct mma_process *p, int32_t task, uint64_t ptr);
void mma_process_realloc_end(struct mma_process *p, int32_t task, uint64_t ptr,
			     const struct mma_entry *e, uint64_t now_ns);

/* The program has ended. The next event tells whether the process has ended, too. */
void mma_process_end(struct mma_process *p, uint64_t now_ns);

/* Tracing is suspended: from the first time on, mma_group_missed() counts. */
void mma_group_suspended(struct mma_group *g);

#endif
