/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_TASK_H
#define MPROF_ATTACH_TASK_H

#include "attach/sigmask.h"
#include "attach/syscalls.h"
#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A stop belongs to a task, a breakpoint to an address space: fork copies a space, vfork and
 * CLONE_VM share one until exec, exec starts a new one.
 */
struct address_space {
	unsigned tasks;	/* how many tasks run in it */
	unsigned exiting; /* how many of them are past PTRACE_EVENT_EXIT */
	bool threaded;	/* there has been a task in it besides the leader */
	int mem;	/* /proc/PID/mem, of this space even after an exec; -1: see
			   space_of_stopped() */
	pid_t pid;	/* the thread group it was made for */
	void *user;	/* what the tracer's owner keeps for it */
};

enum task_state {
	TASK_RUNNING,
	TASK_QUEUED,	/* waitpid has reported a stop or an end, in wstatus, that is not yet
			   served */
	TASK_SERVED,	/* stopped, and being served now */
	TASK_HELD,	/* stopped, because all tasks of its space are held */
	TASK_LISTENING, /* stopped by job control, waits for SIGCONT */
	TASK_PARKED,	/* new, stopped, and its parent's event has not come yet */
};

struct task {
	pid_t tid, tgid;
	struct address_space *space;	/* NULL: a new process that is not placed yet */
	enum task_state state;
	int wstatus;
	struct syscall_entry call; /* if tasks are stopped at system calls */
	bool in_vfork;		/* asleep in vfork(2) until its child execs or ends; stops before it
				   goes on */
	bool silent;		/* it was seized while running, and waitpid has reported nothing of
				   it since: it may be asleep in vfork(2) */
	bool stilled;		/* it was running, and has been stopped for a moment:
				   tracer_still() */
	bool group_stopped;	/* it was in a group stop when it was resumed for a pending
				   SIGTRAP */
	bool fresh;		/* its first stop has not been served */
	bool over;		/* a leader that has ended, which waitpid does not report while its
				   threads go on */
	bool exiting;		/* it is past PTRACE_EVENT_EXIT */
	bool takes_over;	/* it has made an exec, and the other threads are still to be
				   forgotten: tracer_take_overs() */
	bool in_call;		/* it is stopped at a clone, fork or exec event: in the middle of
				   that system call */
	struct mask_watch mask;	/* when to ask for its signal mask */
	uint32_t journal_record;	/* its record in the recovery journal; 0: none */
	void *user;		/* what the tracer's owner keeps for it */
};

/* Is it stopped at PTRACE_EVENT_EXEC? Then it is still in the middle of that system call. */
bool task_is_at_exec(const struct task *task);

/* Is it stopped where it can be made to make a system call: held, stopped by job control or for a
 * trap, and not in the middle of one that it has made itself? */
bool task_can_call(const struct task *task);

/* Is it stopped? */
bool task_has_stopped(const struct task *task);

/* Is its end queued? Then its tid may have been reused. */
bool task_has_ended(const struct task *task);

/* The tasks by tid: few enough to walk, hashed because they are looked up at every stop. */
struct tasks {
	struct task **slots;	/* open addressing by tid */
	size_t mask, n;
};

void tasks_release(struct tasks *t);

/* The task with this tid; NULL: there is none. */
struct task *tasks_find(const struct tasks *t, pid_t tid);

/* A new task, zeroed but for its tid; NULL: out of memory. Belongs to the table. */
struct task *tasks_add(struct tasks *t, pid_t tid);

/* Forget and free a task. */
void tasks_remove(struct tasks *t, struct task *task);

/* Walk: for (size_t i = 0; (task = tasks_next(t, &i));). Nothing may be added or removed
 * meanwhile. */
struct task *tasks_next(const struct tasks *t, size_t *i);

/* A space for the memory of @tid, with no task in it; NULL with errno set. */
struct address_space *address_space_new(pid_t tid);
void address_space_free(struct address_space *s);

/* The same without a file descriptor, for when there is none left: by ptrace, slowly, of a stopped
 * tracee. NULL: out of memory. */
struct address_space *space_of_stopped(pid_t tid);

/* Read or write a space's memory; writes reach read-only text too. Returns the number of bytes done
 * (fewer if the mapping ends), or -errno: -EIO nothing mapped at @at, -ESRCH the process is gone.
 * Source: proc(5), /proc/PID/mem. */
ssize_t address_space_read(const struct address_space *s, taddr at, void *buf, size_t len);
ssize_t address_space_write(const struct address_space *s, taddr at, const void *buf, size_t len);

#endif
