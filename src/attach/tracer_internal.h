/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ATTACH_TRACER_INTERNAL_H
#define MPROF_ATTACH_TRACER_INTERNAL_H

/* What the files of the tracer share: tracer.c (the loop), queue.c (what waitpid tells), serve.c
 * (each kind of stop), new_tasks.c (new tasks and programs), seize.c, guests.c and sharers.c
 * (attaching), hold.c (stopping a whole space, detaching). Nobody else includes this. */

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
	struct follow *follow;	/* NULL: nobody is followed */
	unsigned rounds;	/* since one was timed */
	uint64_t stopped_ns;	/* tracer_stopped_ns() */
	uint64_t taken_ns;	/* tracer_taken_ns() */
	struct stop_cost cost;	/* of each stop, but for serving it */
	bool prices;		/* the next stop is a sample for it */
	uint64_t came_ns;	/* when the one after that was known of */
	uint64_t attach_ns;	/* how long attaching has kept a process stopped, at most */
	bool at_syscalls;	/* tasks stop at system calls, too */
	uint64_t n_syscalls;	/* beginnings and ends so far */
	struct journal *journal;	/* NULL: nobody watches over us */
	bool watch_exits;
	bool will_call;	/* tracer_will_call() */
	bool (*look)(void *ctx, pid_t pid); /* tracer_look_first(); may be NULL */
	void *look_ctx;
	bool looks_often;	/* what the programs have told is asked for without a stop */
	unsigned empty_looks;	/* so often that was nothing, one after the other */
	uint64_t wake_ns;	/* how often a sleep is ended for it; 0: never */
	bool calling;		/* a task is being made to make a system call */
	bool taking_over;	/* there is one that takes_over */
	bool holding;		/* the stops of those who are to be held are being waited for */
};

/* tracer.c */
/* What to ask of the kernel with PTRACE_SEIZE. */
void *tracer_options(const struct tracer *t);
/* The task, as the journal names it. */
struct journal_who tracer_who(const struct task *task);
/* Let a stopped task go on, handing it @sig. */
void task_resume(struct tracer *t, struct task *task, int sig);
/* Leave a task in the group stop that it is in, until it is continued. */
void task_listen(struct tracer *t, struct task *task);
void tracer_leave_space(struct tracer *t, struct task *task);
void tracer_enter_space(struct task *task, struct address_space *s);
void tracer_forget(struct tracer *t, struct task *task);

/* queue.c */
/* It has stopped or ended, so it is not asleep. */
void task_heard_of(struct task *task);
/* Queue what waitpid has told of a task. */
int tracer_note(struct tracer *t, pid_t tid, int wstatus);
void tracer_forget_running(struct tracer *t);
/* Queue everything that has happened so far. 0 or -errno. */
int tracer_collect(struct tracer *t);
/* Sleeps are not ended any more for what the programs tell without a stop. */
void tracer_look_seldom(struct tracer *t);
/* Wait until there is something in the queue, or @stop. */
int tracer_wait_for_work(struct tracer *t, const volatile sig_atomic_t *stop);

/* serve.c */
struct stop tracer_decode(const struct tracer *t, pid_t tid, int wstatus);
/* Wait for the next thing that happens to @tid; what others tell meanwhile is noted. False: there
 * is nobody to wait for. */
bool tracer_await_told(struct tracer *t, pid_t tid, int *wstatus);
/* A task has ended, as its wstatus says. */
void tracer_serve_end(struct tracer *t, struct task *task);
/* The owner wants the signal that is about to be delivered for itself. */
bool tracer_takes_signal(struct tracer *t, struct task *task, int sig);
/* Serve what a queued task has stopped or ended with. */
void tracer_serve(struct tracer *t, struct task *task);

void tracer_serve_queue(struct tracer *t);

/* new_tasks.c */
bool tracer_shares_memory(const struct tracer *t, pid_t a, pid_t b);
/* A new task's first stop. True: it has its place, serve the stop as any other. */
bool tracer_serve_fresh(struct tracer *t, struct task *task);
/* A fork, clone or exec of a task, which stays stopped. False: the task has been let go. */
bool tracer_serve_event(struct tracer *t, struct task *task, int event);
/*
 * The thread that has made an exec goes on under its leader's number: under its own it will never
 * be heard of again, and nor may the others that the exec has ended.
 */
void tracer_take_over(struct tracer *t, struct task *task);
/* The same of those that have made one while a task was made to make a system call: who is served
 * meanwhile is not forgotten in the middle of it, and nobody else is made to make one. */
void tracer_take_overs(struct tracer *t);
/* Stop tracing a stopped task, handing it @sig, and forget it. */
void tracer_let_go(struct tracer *t, struct task *task, int sig);
/* A task has died: place new processes that it can no longer tell of. */
void tracer_place_orphans(struct tracer *t, const struct task *dead);

/* seize.c */
/* Seize all of a process's threads, and stop them; *@stopped_ns is when that began, unless it is
 * not 0. 0 or -errno. */
int tracer_seize_all(struct tracer *t, pid_t pid, uint64_t *stopped_ns);

/* The same with guests, by somebody who also waits for those who keep an exec waiting that keeps us
 * waiting. */
int tracer_seize_and_hold(struct tracer *t, pid_t pid, uint64_t *stopped_ns);

/* guests.c */
/*
 * The same, and all processes that run in its memory while threads of it sleep in vfork(2). One
 * that sleeps without a child is about to make it, of whom nobody would be told, or about to go on:
 * it is waited for, and -EAGAIN if it does neither.
 */
int tracer_seize_with_guests(struct tracer *t, pid_t pid, uint64_t *stopped_ns);
/* All of them enter a space. */
void tracer_enter_with_guests(struct tracer *t, pid_t pid, struct address_space *s);

/* sharers.c */
/* The same for each process that runs in the memory of @pid, which has been seized and has no space
 * yet, and is no thread of it. */
int tracer_seize_sharers(struct tracer *t, pid_t pid, uint64_t *stopped_ns);
/* They enter that space. */
void tracer_enter_with_sharers(struct tracer *t, struct address_space *s);
/* The process, and who was seized with it, cannot be had. */
void tracer_give_back(struct tracer *t, pid_t pid);

/* hold.c */
/* Stop every task of a space but @except; what they stopped for by themselves is queued. */
void tracer_hold(struct tracer *t, struct address_space *s, const struct task *except);
void tracer_unhold(struct tracer *t, struct address_space *s);
/* The same for a moment, in which others may be held already: what was running goes on with
 * tracer_stir(). False: not now, for it is being waited for others that are to be held. */
bool tracer_still(struct tracer *t, struct address_space *s);
void tracer_stir(struct tracer *t);
/* Let those tasks of a process go that have stopped; no breakpoint was put into its memory. */
void tracer_let_stopped_go(struct tracer *t, pid_t pid);

#endif
