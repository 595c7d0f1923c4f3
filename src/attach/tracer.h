/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_TRACER_H
#define MPROF_ATTACH_TRACER_H

#include "attach/follow.h"
#include "attach/journal.h"
#include "attach/remote.h"
#include "attach/stop.h"
#include "attach/task.h"
#include "base/error.h"

#include <signal.h>

/*
 * Process control: the one place that waits. It knows tasks, spaces, fork, exec and signals, but
 * nothing of breakpoints: what a trap means is decided by its owner, which is called through struct
 * tracer_ops, always with the task stopped.
 */
struct tracer;
struct kernel;

enum trap_answer {
	TRAP_OURS,	/* served; resume the task */
	TRAP_ENDS_CALL,	/* the same, and it was the return of a call that was seen to begin */
	TRAP_NOT_OURS,	/* the program's own: it gets its SIGTRAP */
	TRAP_DOUBTFUL,	/* ours, if it was a trap instruction at all: ask again with @certain */
	TRAP_STEP,	/* served, but the instruction has to be single-stepped at its own address
			   with all other tasks held: see tracer_ops.alone() */
};

struct tracer_ops {
	/* An exec has put a new program into @task's space, which has no user data yet.
	 * False: it is not to be traced, detach it. True also if it turns out to be ending. */
	bool (*image)(void *ctx, struct task *task);
	/* A process forked by @parent, in a space of its own that is a copy of @space, breakpoints
	 * included. False: its memory has been cleaned, detach it. */
	bool (*forked)(void *ctx, struct task *child, const struct task *parent,
		       struct address_space *space);
	/*
	 * A process cannot be followed, for the reason @err (-EMFILE: no file descriptor); it will
	 * be detached.
	 * @space  it was forked, and its memory is a copy of this space, breakpoints included,
	 *         which have to be taken out of task->space; NULL: it has exec'ed
	 */
	void (*unfollowed)(void *ctx, struct task *task, const struct address_space *space,
			   int err);
	/* A thread has joined the process it belongs to and has not run yet. */
	void (*thread)(void *ctx, struct task *task);
	/* A system call has returned (tracer_stop_at_syscalls()). */
	void (*syscall)(void *ctx, struct task *task, const struct syscall_call *c);
	/* A task got a SIGTRAP. @certain: its siginfo says that it is from a trap instruction;
	 * otherwise the pc has to tell. */
	enum trap_answer (*trap)(void *ctx, struct task *task, bool certain);
	/* After TRAP_STEP, with every other task of the space held: take the breakpoint out (true)
	 * or put it in again (false). @stepped: the instruction ran. */
	void (*alone)(void *ctx, struct task *task, bool out, bool stepped);
	/* The program is about to see the task's registers (a signal, a detach): put the pc where
	 * it would be without us. @trapped: the task stopped for a trap instruction that was not
	 * served. True: that trap was ours. */
	bool (*settle)(void *ctx, struct task *task, bool trapped);
	/* A task has ended, has exec'ed, or is detached: forget what is kept for it. */
	void (*task_gone)(void *ctx, struct task *task);
	/* The last task has left a space (its memory is gone, or another program's). */
	void (*space_gone)(void *ctx, struct address_space *space);
	/* Before detaching: put the program's own bytes back into a space. False: a task is
	 * executing code of ours; it is called again when all tasks have run for a moment. */
	bool (*clean)(void *ctx, struct address_space *space);
	/* A process ended; @wstatus as waitpid gave it. */
	void (*ended)(void *ctx, pid_t pid, int wstatus);
	/* The last task of a space is about to end; its memory is still there. Only after
	 * tracer_watch_exits(), and not always then: SIGKILL may prevent it. */
	void (*exiting)(void *ctx, struct task *task);
	/* A signal is about to be delivered to a task. True: it was meant for us, do not deliver
	 * it. May be NULL. */
	bool (*signal)(void *ctx, struct task *task, int sig);
	/* A child process of our own that was never traced has ended; @wstatus as waitpid gave
	 * it. */
	void (*reaped)(void *ctx, pid_t pid, int wstatus);
	/* There is no stop to serve: take what programs have reported without a stop. Returns the
	 * number of events. It is called again at once if there were many, and soon if not. Only
	 * after tracer_look_often(). */
	uint64_t (*idle)(void *ctx);
};

/*
 * How to wait for the next stop. A tracer that is awake serves a stop in a fraction of the time of
 * one that has to be woken; but it occupies a processor.
 */
enum tracer_wait {
	WAIT_FOLLOW,	/* run on the processor of the only task that stops, see attach/follow.h;
			   else as WAIT_ADAPTIVE */
	WAIT_ADAPTIVE,	/* stay awake for a moment after each stop, then sleep */
	WAIT_SLEEP,	/* sleep at once */
	WAIT_SPIN,	/* never sleep */
};

/* Before anything is traced. */
void tracer_set_wait(struct tracer *t, enum tracer_wait wait);

/* Have tracer_ops.idle() called from here on. */
void tracer_look_often(struct tracer *t);

/* Have tracer_attach() stop a process where tracer_call() can be used, if possible. Before the
 * first attach. */
void tracer_will_call(struct tracer *t);

/* Have tracer_ops.exiting() called; it costs a stop for every thread that ends. Before anything is
 * traced. */
void tracer_watch_exits(struct tracer *t);
/**
 * Stop every task at the entry and the exit of each of its system calls, and call
 * tracer_ops.syscall() at the exit. Before the first task is traced. This costs two stops a call.
 */
void tracer_stop_at_syscalls(struct tracer *t);

/* @ops and @ctx must outlive the tracer; @journal may be NULL. NULL: out of memory. */
struct tracer *tracer_new(const struct tracer_ops *ops, void *ctx, struct journal *journal);
/* The same on a scripted kernel, see attach/kernel.h. */
struct tracer *tracer_new_on(const struct kernel *kernel, const struct tracer_ops *ops, void *ctx,
			     struct journal *journal);
void tracer_free(struct tracer *t);

/**
 * Start a program, stopped at its first instruction only for the owner's image().
 * @path      its file     @argv  its arguments, its name first
 * It inherits the signal mask and dispositions that are in force now, so change them afterwards;
 * for SIGCHLD, the disposition that mprof was started with (base/sigchld.h).
 * Returns its pid, or -errno as execve(2) gave it, with a sentence in @e.
 */
pid_t tracer_launch(struct tracer *t, const char *path, char *const argv[], struct error *e);

/**
 * Begin to trace a running process with all its threads, which are resumed when the owner's image()
 * has returned. No signal is sent to it and none of its system calls fails. May be called for
 * several processes, one after the other; stops of those already traced wait meanwhile. Returns 0,
 * or -errno: -ESRCH (gone), -EPERM (not permitted), -EBUSY (a thread of it has another tracer),
 * -EADDRINUSE (it runs in the memory of its parent, which is not traced), -EAGAIN (its threads end
 * before they can be seized), -ENOEXEC (image() did not want it; detach it with
 * tracer_detach_process()).
 */
int tracer_attach(struct tracer *t, pid_t pid);

/* Take everything of ours out of one process and detach from it; the others go on. */
void tracer_detach_process(struct tracer *t, pid_t pid);

/**
 * Serve stops until no task is left, or until @stop is not 0. The code that sets @stop has to make
 * waitpid(2) fail with EINTR from then on, again and again.
 * Returns 0, or -errno: waiting itself failed.
 */
int tracer_run(struct tracer *t, const volatile sig_atomic_t *stop);

/* Stop all tasks where they could be detached: no pc in a slot or behind a breakpoint of ours, no
 * clone, fork or exec event unserved. Signals and ends that came meanwhile are served after
 * tracer_continue(). */
void tracer_stop_all(struct tracer *t);
void tracer_continue(struct tracer *t);

/* All tasks are stopped: resume them for @ns, serve what they stop for, and stop them again. */
void tracer_let_run(struct tracer *t, uint64_t ns);

/**
 * Have @look called for each process that is attached to, when all of its tasks are stopped and
 * nothing is planted in it yet. If it returns true the process is resumed for a moment, and @look
 * called again. Not for a process in the middle of an exec, whose new program has not run yet.
 */
void tracer_look_first(struct tracer *t, bool (*look)(void *ctx, pid_t pid), void *ctx);

/* *@insn_at is set to the address of a system call instruction in the program's vdso, which is
 * mapped from the exec on. 0, -ENOSYS: there is none, or -errno: its mappings cannot be read. */
int tracer_syscall_insn(const struct address_space *s, pid_t tid, taddr *insn_at);

/**
 * Have a task that is stopped at its exec event leave that system call: tracer_call() can be used
 * then, and nothing of the new program has run. To be called from image(); does nothing to a task
 * that is not at an exec.
 * Returns 0 or -errno: -ESRCH, it is ending, do nothing more with it.
 */
int tracer_leave_exec(struct tracer *t, struct task *task);

/* Can the task be made to make a system call? As task_can_call(), and it is in code for which there
 * are such instructions, and the kernel does not give its system calls back to the program (Syscall
 * User Dispatch; before Linux 6.4 that cannot be seen). */
bool tracer_can_call(const struct tracer *t, const struct task *task);

/* A task of the space for which that is true; NULL: there is none. */
struct task *tracer_caller(struct tracer *t, const struct address_space *s);

/* All tasks of a space are stopped: bring one of them to where tracer_can_call() is true. A stop
 * for a signal of its own, or at a system call, is served for that, and the task runs nothing of
 * the program's after it. False: there is still none. */
bool tracer_bring_caller(struct tracer *t, const struct address_space *s);

/**
 * Have a stopped task make a system call that the program does not notice, see attach/remote.h. Not
 * at an exec, fork or clone event: the task is in the middle of that system call. If it has stopped
 * for a signal of its own that is delivered first; only while nothing of ours is in its program
 * yet.
 * @insn  tracer_syscall_insn()    *@result  what the call has returned: -1 to -4095 is -errno
 * Returns 0 or -errno: it was not made, -ESRCH if the task is dying.
 */
int tracer_call(struct tracer *t, struct task *task, taddr insn, long nr, const uint64_t arg[6],
		int64_t *result);

/* Several calls in a row: in between the task's registers and mask are not restored, and nothing
 * else may be done with it. If begin() fails end() is not to be called. */
struct tracer_calls {
	struct tracer *tracer;
	struct task *task;
	struct remote remote;
	struct remote_run run;
};

int tracer_calls_begin(struct tracer_calls *c, struct tracer *t, struct task *task, taddr insn);
int tracer_calls_next(struct tracer_calls *c, long nr, const uint64_t arg[6], int64_t *result);
int tracer_calls_end(struct tracer_calls *c);

/* Has the task stopped for a signal that the kernel sent for one of its instructions? */
bool tracer_stopped_by_fault(struct tracer *t, const struct task *task);

/* Switch the seccomp filters of a stopped task off, and on again before it goes on. 0 or -errno:
 * -EPERM without CAP_SYS_ADMIN, or under a filter of our own. */
int tracer_suspend_seccomp(const struct tracer *t, const struct task *task, bool on);

/* Have a running task stop for a moment, so that others get its processor: it is resumed when its
 * stop is served. */
void tracer_interrupt(struct tracer *t, const struct task *task);

/* A task by its tid; NULL: it is not a tracee, or @t is NULL. */
struct task *tracer_find_task(struct tracer *t, pid_t tid);

/* Walk over the tasks, as tasks_next(); none if @t is NULL. */
struct task *tracer_next_task(struct tracer *t, size_t *i);

/* Hold all tasks, take everything of ours out of the programs, and detach from them. */
void tracer_detach_all(struct tracer *t);

/* The same for a tracer that ends right after it: it does not wait for tasks that sleep in
 * vfork(2), as the kernel detaches from them at its end. */
void tracer_leave_all(struct tracer *t);

/* Is any task traced? */
bool tracer_has_tasks(const struct tracer *t);

/* The longest time that tracer_attach() has kept a process stopped, in nanoseconds. */
uint64_t tracer_attach_ns(const struct tracer *t);

/* The counts of WAIT_FOLLOW. */
struct follow_counts tracer_follow_counts(const struct tracer *t);

/* The sum, in nanoseconds, of the times that tasks were stopped for us: our processor time while
 * serving them, counted also for those that waited for their turn, and the cost of each stop
 * besides. Estimated from a sample of the stops. */
uint64_t tracer_stopped_ns(const struct tracer *t);

/* The part of it, in nanoseconds, that is the tasks' own processor time. */
uint64_t tracer_taken_ns(const struct tracer *t);

/* Stops served so far. */
uint64_t tracer_stops(const struct tracer *t);

#endif
