/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_JOURNAL_INTERNAL_H
#define MPROF_ATTACH_JOURNAL_INTERNAL_H

/* How the journal is laid out: for journal.c, which writes it, for those who act on it when the
 * tracer was killed (recovery.h, rescue_internal.h), and for their tests. */

#include "attach/journal.h"

#include "attach/watchdog.h"

#include <pthread.h>
#include <stdatomic.h>

/* Sizes of the arrays; memory is used only for what is written. */
#define JOURNAL_MAX_ENTRIES (1u << 20)
#define JOURNAL_MAX_TASKS (1u << 16)
#define JOURNAL_MAX_PROGRAMS (1u << 14)

enum journal_state {
	JOURNAL_RUNS,	/* its registers are the program's, but for a pc in a slot */
	JOURNAL_TRAPPED,	/* the SIGTRAP it stopped for has been taken from the kernel, and
				   not served yet */
	JOURNAL_CHANGES,	/* its registers are becoming what is written here */
	JOURNAL_STEPS,	/* as JOURNAL_RUNS; and the next SIGTRAP is that of the step */
};

struct journal_task {
	pid_t tid;		/* 0: nobody */
	pid_t pid;
	enum journal_state state;
	bool stopped;		/* by job control */
	siginfo_t owed;		/* si_signo 0: nothing */
	taddr from;		/* JOURNAL_CHANGES: */
	struct arch_regs to;
	bool has_word;
	struct journal_word word;
	struct journal_call call; /* what has to be restored before anything else is judged */
};

struct journal_program {
	pid_t pid;		/* 0: nothing of it is in the journal */
	uint32_t entries;
	bool partial;		/* a copy made by fork(2), of which not all is in the journal */
	struct program_fate fate;	/* pid 0: it has not been recovered yet */
};

struct journal {
	pthread_mutex_t alive;	/* robust; locked by the tracer as long as it lives */
	_Atomic pid_t tracer;
	atomic_bool clean;	/* it left in good order */
	atomic_bool kept;	/* the keeper has seized the tracer */
	atomic_bool rescued;	/* the keeper has done all there was to do */
	siginfo_t heard;	/* by the tracer from waitid(2), and not yet noted; si_pid 0:
				   nothing */
	atomic_bool hung;	/* the tracer was killed because it made no progress */
	_Atomic uint64_t beats;	/* how often it has taken what programs report without a stop */
	atomic_bool unrecorded;	/* there was no room for a task */
	uint32_t free_entry;	/* number + 1 of a free one; its `at` links to the next */
	uint32_t free_task;	/* the same; its `pid` links to the next */
	atomic_uint n_entries, n_tasks, n_programs; /* used so far */
	struct journal_program programs[JOURNAL_MAX_PROGRAMS];
	struct journal_task tasks[JOURNAL_MAX_TASKS];
	struct journal_entry entries[JOURNAL_MAX_ENTRIES];
};

/* The record of a task, or NULL. */
const struct journal_task *journal_record(const struct journal *g, pid_t tid);

#endif
