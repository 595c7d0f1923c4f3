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
 * nothing of breakpoints: what a trap means is its owner's business, who is asked through
 * struct tracer_ops and gets every task stopped.
 */
struct tracer;
struct kernel;

enum trap_answer {
	TRAP_OURS,	/* served; let the task go on */
	TRAP_ENDS_CALL,	/* the same, and it was the return of a call that was seen to begin */
	TRAP_NOT_OURS,	/* the program's own: it gets its SIGTRAP */
	TRAP_DOUBTFUL,	/* ours, if it was a trap instruction at all: ask again with @certain */
	TRAP_STEP,	/* served, but the instruction can only run at its own address, alone: call
			   tracer_ops.alone(), see there */
};

struct tracer_ops {
	/* An exec has put a new program into @task's space, which has no user data yet.
	 * False: it is not to be traced, let it go. True also of one that is found to be ending. */
	bool (*image)(void *ctx, struct task *task);
	/* A process made by @parent with fork, in a space of its own that is a copy of @space,
	 * breakpoints included. False: its memory has been cleaned, let it go. */
	bool (*forked)(void *ctx, struct task *child, const struct task *parent,
		       struct address_space *space);
	/*
	 * A process cannot be followed, for want of what @err says (-EMFILE: a file descriptor); it
	 * is let go.
	 * @space: it was made by fork, and its memory is a copy of that, breakpoints included,
	 *         which have to be
	 * taken out of task->space; NULL: it has exec'ed.
	 */
	void (*unfollowed)(void *ctx, struct task *task, const struct address_space *space,
			   int err);
	/* A thread has joined the process it belongs to and has not run yet. */
	void (*thread)(void *ctx, struct task *task);
	/* A system call has returned (tracer_stop_at_syscalls()). */
	void (*syscall)(void *ctx, struct task *task, const struct syscall_call *c);
	/* A task got a SIGTRAP. @certain: from a trap instruction, for its siginfo says so;
	 * otherwise that is to be told by where it is. */
	enum trap_answer (*trap)(void *ctx, struct task *task, bool certain);
	/* After TRAP_STEP, with every other task of the space held: take the breakpoint out (true)
	 * or put it in again (false). @stepped: the instruction ran. */
	void (*alone)(void *ctx, struct task *task, bool out, bool stepped);
	/* The program is about to see its registers (a signal, a detach): put the pc where it would
	 * be without us. @trapped: the task stopped for a trap instruction that was not served.
	 * True: that trap was ours. */
	bool (*settle)(void *ctx, struct task *task, bool trapped);
	/* A task has ended, has exec'ed, or is let go: forget what is kept for it. */
	void (*task_gone)(void *ctx, struct task *task);
	/* The last task has left a space (its memory is gone, or another program's). */
	void (*space_gone)(void *ctx, struct address_space *space);
	/* Before letting go: put the program's own bytes back into a space. False: a task is in the
	 * middle of what is ours; to be called again when all have run for a moment. */
	bool (*clean)(void *ctx, struct address_space *space);
	/* A process ended; @wstatus as waitpid gave it. */
	void (*ended)(void *ctx, pid_t pid, int wstatus);
	/* The last task of a space is about to end; its memory is there still. Only after
	 * tracer_watch_exits(), and not always then: SIGKILL may come in between. */
	void (*exiting)(void *ctx, struct task *task);
	/* A signal is about to be delivered to a task. True: it was meant for us, and the program
	 * shall not see it. May be NULL. */
	bool (*signal)(void *ctx, struct task *task, int sig);
	/* A child of the tracer's own, which it never traced, has ended; @wstatus as waitpid gave
	 * it. */
	void (*reaped)(void *ctx, pid_t pid, int wstatus);
	/* Nothing is to be served: take what programs have told without a stop. Returns how much
	 * that was: events. It is called again at once if there were many, and soon if not.
	 * Only after tracer_look_often(). */
	uint64_t (*idle)(void *ctx);
};

/*
 * How to wait for the next stop. A tracer that is awake answers a stop in a fraction of the time of
 * one that has to be woken; but it takes a processor for it.
 */
enum tracer_wait {
	WAIT_FOLLOW,	/* be where the only task that stops runs, see attach/follow.h; else as the
			   next */
	WAIT_ADAPTIVE,	/* stay awake for a moment after each stop, then sleep */
	WAIT_SLEEP,	/* sleep at once */
	WAIT_SPIN,	/* never sleep */
};

/* Before anything is traced. */
void tracer_set_wait(struct tracer *t, enum tracer_wait wait);

/* Have tracer_ops.idle() called from here on. */
void tracer_look_often(struct tracer *t);

/* Have a process that is attached to stopped where tracer_call() can be used, if that can be had.
 * Before the first one. */
void tracer_will_call(struct tracer *t);

/* Have tracer_ops.exiting() called; it costs a stop for every thread that ends. Before anything is
 * traced. */
void tracer_watch_exits(struct tracer *t);
/**
 * Stop every task at the beginning and at the end of each of its system calls, and tell the owner
 * of those that have returned; before the first task is traced. This costs two stops a call.
 */
void tracer_stop_at_syscalls(struct tracer *t);

/* @ops and @ctx must outlive the tracer; @journal may be NULL. NULL: out of memory. */
struct tracer *tracer_new(const struct tracer_ops *ops, void *ctx, struct journal *journal);
/* The same on another kernel than the one that runs us, see attach/kernel.h. */
struct tracer *tracer_new_on(const struct kernel *kernel, const struct tracer_ops *ops, void *ctx,
			     struct journal *journal);
void tracer_free(struct tracer *t);

/**
 * Start a program, stopped at its first instruction only for the owner's image().
 * @path      its file     @argv  what it gets as arguments, its name first
 * It gets the signal mask and dispositions that are in force now, so change them afterwards; that
 * of SIGCHLD is the one we were started with (base/sigchld.h).
 * Returns its pid, or -errno as execve(2) gave it, with a sentence in @e.
 */
pid_t tracer_launch(struct tracer *t, const char *path, char *const argv[], struct error *e);

/**
 * Begin to trace a running process with all its threads, which go on when the owner's image() has
 * returned. Nothing is sent to it and none of its system calls is ended.
 * One process after the other may be attached to; what those do that are traced already waits
 * meanwhile. Returns 0, or -errno: -ESRCH (gone), -EPERM (not permitted), -EBUSY (somebody else
 * traces a thread of it), -EADDRINUSE (it runs in the memory of its parent, who is not traced),
 * -EAGAIN (its threads end before they can be seized), -ENOEXEC (image() did not want it; it is to
 * be let go with tracer_detach_process()).
 */
int tracer_attach(struct tracer *t, pid_t pid);

/* Take everything of ours out of one process and let it go; the others go on. */
void tracer_detach_process(struct tracer *t, pid_t pid);

/**
 * Serve stops until no task is left, or until @stop is not 0. Whoever sets @stop has to see to it
 * that waitpid(2) ends with EINTR from then on, again and again.
 * Returns 0, or -errno: waiting itself failed.
 */
int tracer_run(struct tracer *t, const volatile sig_atomic_t *stop);

/* Stop all tasks where the program can be left alone: no pc in a slot or behind a breakpoint of
 * ours, no birth or exec unserved. Signals and ends that came meanwhile are served after
 * tracer_continue(). */
void tracer_stop_all(struct tracer *t);
void tracer_continue(struct tracer *t);

/* All tasks are stopped: let them go on for so long, serve what they have stopped for, and stop
 * them again. */
void tracer_let_run(struct tracer *t, uint64_t ns);

/**
 * Have @look called for each process that is attached to, when all of its tasks are stopped and
 * nothing is planted in it: the program as it was before us. True: let it run for a moment, and ask
 * again. Not of one that is in the middle of an exec, whose new program has not run yet.
 */
void tracer_look_first(struct tracer *t, bool (*look)(void *ctx, pid_t pid), void *ctx);

/* An instruction of a program that makes system calls: in its vdso, which is there from its exec
 * on. 0: there is none. */
taddr tracer_syscall_insn(const struct address_space *s, pid_t tid);

/**
 * Have a task that stands at its exec leave that system call: tracer_call() can be used then, and
 * nothing of the new program has run. From image(); of any other task nothing is wanted.
 * Returns 0 or -errno: -ESRCH, it is ending, and is to be left alone.
 */
int tracer_leave_exec(struct tracer *t, struct task *task);

/* All tasks of a space are stopped: see to it that one of them task_can_call(). One that has
 * stopped for a signal of its own, or at a system call, has that served, and runs nothing of the
 * program's after it. False: there is none still. */
bool tracer_bring_caller(struct tracer *t, const struct address_space *s);

/**
 * Have a stopped task make a system call, of which the program sees nothing, see attach/remote.h.
 * Not at an exec, fork or clone event: the task is in the middle of that. One that has stopped for
 * a signal of its own is handed that first; only while nothing of ours is in its program yet.
 * @insn  tracer_syscall_insn()    *@result  what the call has returned: -1 to -4095 is -errno
 * Returns 0 or -errno: it was not made, -ESRCH if the task is dying.
 */
int tracer_call(struct tracer *t, struct task *task, taddr insn, long nr, const uint64_t arg[6],
		int64_t *result);

/* Several of them: in between the task is not given back what is its own, and nothing else is done
 * with it. What begin() has not begun is not ended. */
struct tracer_calls {
	struct tracer *tracer;
	struct task *task;
	struct remote remote;
	struct remote_run run;
};

int tracer_calls_begin(struct tracer_calls *c, struct tracer *t, struct task *task, taddr insn);
int tracer_calls_next(struct tracer_calls *c, long nr, const uint64_t arg[6], int64_t *result);
int tracer_calls_end(struct tracer_calls *c);

/* Has an instruction of the task made the kernel send it the signal that it has stopped for? */
bool tracer_stopped_by_fault(struct tracer *t, const struct task *task);

/* Switch the seccomp filters of a stopped task off, and on again before it goes on. 0 or -errno:
 * -EPERM without CAP_SYS_ADMIN, or under a filter of our own. */
int tracer_suspend_seccomp(const struct tracer *t, const struct task *task, bool on);

/* Have a task that runs stop for a moment, in which others have its processor: it goes on when its
 * stop is served. */
void tracer_interrupt(struct tracer *t, const struct task *task);

/* A task by its number; NULL: it is none of ours, or @t is NULL. */
struct task *tracer_find_task(struct tracer *t, pid_t tid);

/* Walk over the tasks, as tasks_next(); none if @t is NULL. */
struct task *tracer_next_task(struct tracer *t, size_t *i);

/* Hold all tasks, take everything of ours out of the programs, let them go on. */
void tracer_detach_all(struct tracer *t);

bool tracer_has_tasks(const struct tracer *t);

/* How long tracer_attach() has kept a process stopped, at most. */
uint64_t tracer_attach_ns(const struct tracer *t);

/* How it went with WAIT_FOLLOW. */
struct follow_counts tracer_follow_counts(const struct tracer *t);

/* So long tasks have stood still for us: what it took to serve them, of our processor's time, those
 * that waited for their turn included, and what passes besides until a task has stopped and goes
 * on. Reckoned from a part of the stops. */
uint64_t tracer_stopped_ns(const struct tracer *t);

/* So much of that was of the tasks' own processor time. */
uint64_t tracer_taken_ns(const struct tracer *t);

/* Stops served so far. */
uint64_t tracer_stops(const struct tracer *t);

#endif
