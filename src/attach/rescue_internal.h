/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_RESCUE_INTERNAL_H
#define MPROF_ATTACH_RESCUE_INTERNAL_H

/* Shared by the files that put programs right when the tracer was killed: keeper.c and watchdog.c
 * (wait for that), sight.c (stops the programs and records their tasks), rescue.c (puts them
 * right), programs.c (their tasks and memory). Not to be included by others. */

#include "attach/recovery.h"
#include "attach/task.h"

/* ---- programs.c ---- */

/* Call @fn for each task of a process; or, with @pid 0, for each process. */
void each_number(pid_t pid, void (*fn)(void *ctx, pid_t number), void *ctx);
/* Is this the record of a task of another process that runs in the memory of @pid, as a child of
 * vfork(2) does? */
bool program_has_guest(const struct journal_task *r, pid_t pid);
/* Call @fn for each task of a program and for each such guest of which there is a record. */
void program_each_task(const struct journal *g, pid_t pid, void (*fn)(void *ctx, pid_t tid),
		       void *ctx);
/* The programs of the journal, one after the other; *i from 0. NULL: there are no more. */
struct journal_program *program_next(struct journal *g, uint32_t *i);
bool program_is_gone(pid_t pid);
/* End a program, because @task cannot be put right. */
void program_kill(struct journal_program *p, pid_t task);
/* The memory of a process, of which the leader may have ended; NULL: it is gone. */
struct address_space *program_open_space(pid_t pid);
bool program_has_breakpoints(const struct journal *g, pid_t pid);
/* Put back the program's own bytes where a breakpoint still stands; and where a slot does, unless
 * they are to @stay: how many bytes of them are there afterwards. */
void program_restore_breakpoints(const struct journal *g, pid_t pid, const struct address_space *s);
unsigned program_restore_slots(const struct journal *g, pid_t pid, const struct address_space *s,
			       bool stay);
/* Switch off the pads that jumps lead to; and put the program's own bytes back where a jump stands,
 * all tasks being stopped. */
void program_switch_off_jumps(const struct journal *g, pid_t pid, const struct address_space *s);
void program_restore_jumps(const struct journal *g, pid_t pid, const struct address_space *s);
/* What of ours is mapped there. */
struct program_memory program_kept_memory(const struct journal *g, pid_t pid);
/* 1 + a file descriptor of ours that is open there; 0: none is. */
int program_kept_file(const struct journal *g, pid_t pid);
/* Undo what can be undone in a process whose memory is not open, and whose tasks may run. */
void program_restore_text(const struct journal *g, pid_t pid);

/* ---- sight.c ---- */

/* The states of all tasks while the tracer was held. */
struct recovery_sight {
	struct recovery_seen *v;
	size_t n, cap;
};

/* The tracer is held and all tasks have been sent a stop: record the state of each. */
void sight_take(struct journal *g, struct recovery_sight *s);
/* The state of a task; NULL: it was not recorded, or @s is NULL. */
const struct recovery_seen *sight_of(const struct recovery_sight *s, pid_t tid);

/* ---- rescue.c ---- */

/* Wait a moment, longer each time, for a task that is to stop, by @turn from 0 and the state that
 * proc(5) tells of it. False: it has been waited for long enough. */
bool rescue_may_wait(int turn, char state);
/* Wait until a task that is to stop no longer runs, or for long enough. */
void rescue_await_rest(void *ctx, pid_t tid);
/* The tracer is gone. @s: NULL if it was not held to the end. */
void rescue_programs(struct journal *g, const struct recovery_sight *s);

#endif
