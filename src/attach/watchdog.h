/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_WATCHDOG_H
#define MPROF_ATTACH_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The processes that watch over the tracer, and put the program right from the recovery journal if
 * it is killed: the keeper, which holds the tracer, and the watchdog, which does the same if there
 * is no keeper left to do it.
 */
struct journal;

/* Become the process that holds the tracer: it is woken by the kernel before the tracer lets go of
 * its tasks. Returns when the tracer has ended and the programs have been put in order.
 * @meeting  a socket that ends when there is a tracer, or nobody is left who would make one; closed
 *           when that is held, or cannot be */
void keeper_main(struct journal *g, int meeting);

/* Wait for the end of @tracer, our child. True: it left without undoing everything. */
bool watchdog_wait(struct journal *g, pid_t tracer);

/* There has been a tracer; one that ended before has changed nothing. */
bool watchdog_had_tracer(const struct journal *g);

/* A keeper holds, or has held, the tracer. */
bool watchdog_is_kept(const struct journal *g);

/* The keeper, now dead or never there, has not done what is to be done. */
bool watchdog_is_left_to_us(const struct journal *g);

/* First aid, at once: stop the programs before the kernel lets them run on without a tracer. */
void watchdog_stop_programs(struct journal *g);

/* When the tracer is gone: put the programs' own bytes and program counters back and let them go
 * on. */
void watchdog_recover(struct journal *g);

/* What has become of a program. */
enum program_end {
	FATE_ALIVE,	/* it was put back in order and goes on */
	FATE_DIED,	/* of the signal, or, if that is 0, of what nobody could see */
	FATE_ENDED,	/* by us, because what its task would have gone on with could not be
			   known */
};

/* What we have mapped there, and nobody has unmapped: in bytes of addresses. */
struct program_memory {
	uint64_t code, shared;
};

struct program_fate {
	pid_t pid;
	enum program_end end;
	int signal;
	pid_t task;
	unsigned left;	/* FATE_ALIVE: bytes of out-of-line slots that have to stay, for a signal
			   handler may come back to one */
	bool unsure;		/* FATE_ALIVE: a handler of its own for SIGTRAP may have been called
				   for a breakpoint of ours, when nobody was there to see it */
	struct program_memory kept; /* FATE_ALIVE */
	int file;		/* FATE_ALIVE: 1 + a file descriptor of ours that is open; 0: none
				   is */
};

/* The tracer did nothing for seconds while threads waited for it, and was ended for that. */
bool watchdog_has_ended_tracer(const struct journal *g);

/* What watchdog_recover() has come to; @i from 0. False: there are no more. */
bool watchdog_next_fate(const struct journal *g, unsigned i, struct program_fate *f);

#endif
