/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_WATCHDOG_H
#define MPROF_ATTACH_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The processes that watch over the tracer, and put the programs right from the recovery journal if
 * it is killed: the keeper, which traces the tracer, and the watchdog, which does it if there is no
 * keeper left to.
 */
struct journal;

/* Become the process that traces the tracer: it is woken by the kernel before the tracer's tasks
 * are detached. Returns when the tracer has ended and the programs have been put in order.
 * @meeting  a socket at whose end of file there is a tracer, or no process is left that would start
 *           one; closed when the tracer is seized, or cannot be */
void keeper_main(struct journal *g, int meeting);

/* Wait for the end of @tracer, our child. True: it ended without undoing everything. */
bool watchdog_wait(struct journal *g, pid_t tracer);

/* Has the tracer begun to trace? If it ended before that it has changed nothing. */
bool watchdog_had_tracer(const struct journal *g);

/* Does, or did, a keeper trace the tracer? */
bool watchdog_is_kept(const struct journal *g);

/* Is recovery left to the watchdog, because the keeper is dead, or never was there? */
bool watchdog_is_left_to_us(const struct journal *g);

/* Stop the programs at once, before the kernel lets them run on without a tracer, and remove the
 * breakpoints. */
void watchdog_stop_programs(struct journal *g);

/* When the tracer is gone: put the programs' own bytes and program counters back and let them go
 * on. */
void watchdog_recover(struct journal *g);

/* What has become of a program. */
enum program_end {
	FATE_ALIVE,	/* it was put back in order and goes on */
	FATE_DIED,	/* of the signal, or, if that is 0, of an unknown cause */
	FATE_ENDED,	/* killed by us, because the state its task should go on with is not
			   known */
};

/* What we have mapped in the program and is still mapped: bytes of address space. */
struct program_memory {
	uint64_t code, shared;
};

struct program_fate {
	pid_t pid;
	enum program_end end;
	int signal;
	pid_t task;
	unsigned left;	/* FATE_ALIVE: bytes of out-of-line slots that stay, for a signal handler
			   may return to one */
	bool unsure;		/* FATE_ALIVE: its own SIGTRAP handler may have been called for a
				   breakpoint of ours, while it was not stopped */
	struct program_memory kept; /* FATE_ALIVE */
	int file;		/* FATE_ALIVE: 1 + a file descriptor of ours that is open; 0: none
				   is */
};

/* Was the tracer killed because it did nothing for seconds while threads waited for it? */
bool watchdog_has_ended_tracer(const struct journal *g);

/* What has become of the programs, one after the other; @i from 0. False: there are no more. */
bool watchdog_next_fate(const struct journal *g, unsigned i, struct program_fate *f);

#endif
