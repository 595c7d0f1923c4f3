/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_TRACER_INTERNAL_H
#define MPROF_ATTACH_TRACER_INTERNAL_H

/* What the files of the tracer share: tracer.c (the loop), queue.c (what waitpid reports), serve.c
 * (each kind of stop), new_tasks.c and birth.c (new tasks and programs), seize.c, guests.c and
 * sharers.c (attaching), hold.c (stopping a whole space, detaching). Nobody else includes this. */

#include "attach/kernel.h"
#include "attach/stop_cost.h"
#include "attach/tracer.h"

struct tracer {
	struct kernel kernel;
	const struct tracer_ops *ops;
	void *ctx;
	struct tasks tasks;
	pid_t *queue;		/* tids of tasks in TASK_QUEUED, first to be served first */
	size_t n_queue, cap_queue;
	uint64_t stops;
	enum tracer_wait wait;
	struct follow *follow;	/* NULL: no task is followed */
	unsigned rounds;	/* since one was timed */
	uint64_t stopped_ns;	/* tracer_stopped_ns() */
	uint64_t taken_ns;	/* tracer_taken_ns() */
	struct stop_cost cost;	/* of each stop, apart from serving it */
	bool prices;		/* the next stop begins a sample for it */
	uint64_t came_ns;	/* when we knew of the stop that ends it */
	uint64_t attach_ns;	/* tracer_attach_ns() */
	bool at_syscalls;	/* tasks stop at system calls, too */
	uint64_t n_syscalls;	/* entries and exits so far */
	struct journal *journal;	/* NULL: there is no watchdog */
	bool watch_exits;
	bool will_call;	/* tracer_will_call() */
	bool (*look)(void *ctx, pid_t pid); /* tracer_look_first(); may be NULL */
	void *look_ctx;
	bool looks_often;	/* tracer_look_often() */
	unsigned empty_looks;	/* calls of idle() in a row that took nothing */
	uint64_t wake_ns;	/* how often a sleep is interrupted for idle(); 0: never */
	bool calling;		/* a task is being made to make a system call */
	bool taking_over;	/* a task has takes_over set */
	bool holding;		/* the stops of tasks that are to be held are being waited for */
};

/* tracer.c */
/* The options for PTRACE_SEIZE. */
void *tracer_options(const struct tracer *t);
/* The task as the journal identifies it. */
struct journal_who tracer_who(const struct task *task);
/* Resume a stopped task, delivering @sig if it is not 0. */
void task_resume(struct tracer *t, struct task *task, int sig);
/* Leave a task in its group stop until SIGCONT: PTRACE_LISTEN. */
void task_listen(struct tracer *t, struct task *task);
void tracer_leave_space(struct tracer *t, struct task *task);
void tracer_enter_space(struct task *task, struct address_space *s);
void tracer_forget(struct tracer *t, struct task *task);

/* queue.c */
/* It has stopped or ended, so it is not asleep in vfork(2). */
void task_heard_of(struct task *task);
/* Queue what waitpid has reported of a task. 0 or -ENOMEM. */
int tracer_note(struct tracer *t, pid_t tid, int wstatus);
void tracer_forget_running(struct tracer *t);
/* Queue everything that has happened so far. 0 or -errno. */
int tracer_collect(struct tracer *t);
/* Sleeps are no longer interrupted for idle(). */
void tracer_look_seldom(struct tracer *t);
/* Wait until there is something in the queue, or *@stop is not 0. 0 or -errno. */
int tracer_wait_for_work(struct tracer *t, const volatile sig_atomic_t *stop);

/* serve.c */
struct stop tracer_decode(const struct tracer *t, pid_t tid, int wstatus);
/* Wait for the next report of @tid; those of other tasks are noted meanwhile. False: there is
 * nothing to wait for. */
bool tracer_await_told(struct tracer *t, pid_t tid, int *wstatus);
/* A task has ended, as its wstatus says. */
void tracer_serve_end(struct tracer *t, struct task *task);
/* Is the signal that is about to be delivered meant for the owner? */
bool tracer_takes_signal(struct tracer *t, struct task *task, int sig);
/* Serve the queued stop or end of a task. */
void tracer_serve(struct tracer *t, struct task *task);

/* Serve what is queued now. Stops that are queued meanwhile stay for the next call. */
void tracer_serve_queue(struct tracer *t);

/* birth.c */
/* Does a new process run in the memory of @parent, which is @space? */
bool tracer_born_sharing(const struct tracer *t, const struct task *task, const struct task *parent,
			 const struct address_space *space);
/* Did open_space() fail, with errno @err, because the stopped task is dying? Then waitpid will say
 * so. */
bool tracer_has_died(const struct tracer *t, const struct task *task, int err);

/* What came of the attempt to open the memory of a new process. */
struct new_copy {
	int err;	/* errno; ESRCH: it is dying */
	bool revealed;	/* it has been made dumpable ... */
	int dumpable;	/* ... and was this before */
};

/* Open the memory of a new process, which is a copy of @space. NULL: *@copy tells why, and is for
 * tracer_let_copy_go(). */
struct address_space *tracer_open_copy(struct tracer *t, struct task *task,
				       const struct address_space *space, struct new_copy *copy);
/* A child that we have no means to follow. False: it has been detached, its own bytes restored. */
bool tracer_let_copy_go(struct tracer *t, struct task *task, const struct address_space *space,
			const struct new_copy *copy);

/* new_tasks.c */
bool tracer_shares_memory(const struct tracer *t, pid_t a, pid_t b);
/* A new task's first stop. True: the task has been placed, serve the stop as any other. */
bool tracer_serve_fresh(struct tracer *t, struct task *task);
/* A fork, clone or exec event of a task, which stays stopped. False: the task has been detached. */
bool tracer_serve_event(struct tracer *t, struct task *task, int event);
/*
 * The thread that has made an exec goes on under its leader's tid: nothing will be reported for its
 * old tid, and maybe nothing for the other threads that the exec has ended.
 */
void tracer_take_over(struct tracer *t, struct task *task);
/* The same for tasks whose exec came while another task was being made to make a system call
 * (calling): a task being served must not be forgotten in the middle of that. Nothing is done while
 * that lasts. */
void tracer_take_overs(struct tracer *t);
/* Detach from a stopped task, delivering @sig, and forget it. */
void tracer_let_go(struct tracer *t, struct task *task, int sig);
/* A task has died: place new processes of which its event can no longer come. */
void tracer_place_orphans(struct tracer *t, const struct task *dead);

/* seize.c */
/* Seize all of a process's threads, and stop them; *@stopped_ns is when that began, unless it is
 * not 0. 0 or -errno. */
int tracer_seize_all(struct tracer *t, pid_t pid, uint64_t *stopped_ns);

/* The same with guests, and without a deadlock between PTRACE_SEIZE and an exec, see seize.c. */
int tracer_seize_and_hold(struct tracer *t, pid_t pid, uint64_t *stopped_ns);

/* guests.c */
/*
 * The same, and all processes that run in its memory while threads of it sleep in vfork(2). A
 * thread that sleeps without a child is about to create it, which would not be reported to us, or
 * about to go on: wait for either; -EAGAIN if neither happens.
 */
int tracer_seize_with_guests(struct tracer *t, pid_t pid, uint64_t *stopped_ns);
/* All of them enter a space. */
void tracer_enter_with_guests(struct tracer *t, pid_t pid, struct address_space *s);

/* sharers.c */
/* The same for each other process that runs in the memory of @pid, which has been seized and has no
 * space yet. */
int tracer_seize_sharers(struct tracer *t, pid_t pid, uint64_t *stopped_ns);
/* They enter that space. */
void tracer_enter_with_sharers(struct tracer *t, struct address_space *s);
/* Detach from the process and from those seized with it: it cannot be attached to. */
void tracer_give_back(struct tracer *t, pid_t pid);

/* hold.c */
/* Stop every task of a space but @except; stops that came by themselves are queued. */
void tracer_hold(struct tracer *t, struct address_space *s, const struct task *except);
void tracer_unhold(struct tracer *t, struct address_space *s);
/* The same for a moment, while others may be held already: tasks that were running are resumed by
 * tracer_stir(). False: not now, for stops of tasks to be held are being waited for. */
bool tracer_still(struct tracer *t, struct address_space *s);
void tracer_stir(struct tracer *t);
/* Detach from the stopped tasks of a process in whose memory there is no breakpoint. */
void tracer_let_stopped_go(struct tracer *t, pid_t pid);

#endif
