/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_GUARD_H
#define MPROF_ATTACH_GUARD_H

#include "arch/arch.h"
#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What has to be undone if the tracer dies without undoing it (kill -9, a crash): a journal in
 * memory shared with a process that watches over the tracer. The tracer writes it, before each
 * change it makes to a program; the other one only reads it, after the tracer is dead.
 */
struct guard;

#define GUARD_NONE UINT32_MAX

/* A trap, and the out-of-line slot that belongs to it. */
struct guard_entry {
	pid_t pid;			/* thread group whose memory it is in; 0: nothing */
	taddr at;
	uint8_t own[ARCH_INSN_MAX];	/* the instruction that was there */
	uint8_t insn_size;
	taddr slot;			/* 0: none */
	uint8_t slot_size;
	uint8_t slot_own[ARCH_SLOT_MAX]; /* what the slot's memory held */
};

/* Shared memory for the journal; call before the fork that makes the tracer. NULL with errno set. */
struct guard *guard_new(void);
void guard_free(struct guard *g);

/* ---- the tracer's side; @g may be NULL: nobody watches ---- */

/* Take hold of the lock whose release tells of the tracer's end. Returns 0 or an errno value. */
int guard_enter(struct guard *g);
/* Everything has been undone. */
void guard_leave(struct guard *g);

/* Write an entry, before the change is made. Its number, or GUARD_NONE: the journal is full. */
uint32_t guard_add(struct guard *g, const struct guard_entry *e);
/* The change has been undone, or its memory is gone. */
void guard_remove(struct guard *g, uint32_t number);

/* A task was found in a trap (true) or goes on (false). */
void guard_trapped(struct guard *g, pid_t tid, bool trapped);

/* A task is stopped by job control (true), or goes on (false). If all tasks of a process are, it is to
 * stay so. */
void guard_stopped(struct guard *g, pid_t tid, bool stopped);

/* ---- the watching side ---- */

/* Wait for the tracer's end. True: it left without undoing everything. */
bool guard_wait(struct guard *g);

/* First aid, at once: stop the programs before the kernel lets them run on without a tracer. */
void guard_stop_programs(struct guard *g);

/* When the tracer is gone: put the programs' own bytes and program counters back and let them go on.
 * Returns how many programs that was. */
unsigned guard_recover(struct guard *g);

#endif
