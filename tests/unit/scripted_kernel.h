/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_SCRIPTED_KERNEL_H
#define MPROF_TEST_SCRIPTED_KERNEL_H

/*
 * A kernel without processes: a handful of tasks that obey the rules of ptrace(2), and a script
 * that decides what happens to them, and when. What the tracer has done to them, and what it has
 * reported to its owner, is logged line by line, see expect().
 */
#include "unit/unit.h"

#include "attach/kernel.h"
#include "attach/tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number of task @n. No process can have it: it is beyond what pid_max may be. */
#define TID(n) (5000000 + (n))
#define NUMBER(tid) ((int)(tid) - 5000000)

#define STOPPED(sig) ((sig) << 8 | 0x7f)
#define EVENT(event) ((event) << 16 | STOPPED(SIGTRAP))
#define HELD EVENT(PTRACE_EVENT_STOP)
#define GROUP_STOP (PTRACE_EVENT_STOP << 16 | STOPPED(SIGSTOP))
#define EXITED(code) ((code) << 8)
#define KILLED(sig) (sig)

enum { ACTORS_MAX = 8, LOG_MAX = 4096, CALLS_MAX = 20000 };

/* PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, since Linux 6.4. */
#define GET_SYSCALL_USER_DISPATCH 0x4211

struct actor {
	pid_t tid, tgid, ppid;
	pid_t other_tracer;	/* not 0: somebody else traces it */
	int not_seized;		/* errno, for a reason that is over when it is looked at; 0: none */
	bool private;		/* nobody may read its memory either */
	int memory;		/* those with the same number share one */
	bool there, ours;
	bool stopped, listening, ended;
	bool untold;		/* it is stopped or has ended, which wait has not told yet */
	unsigned since;		/* the order in which things have happened */
	int wstatus, si_code;
	unsigned long msg;	/* what PTRACE_GETEVENTMSG tells */
	bool interrupted;	/* it stops as soon as it has been resumed */
	bool dispatches;	/* Syscall User Dispatch is on */
	bool group_stop;	/* its process is stopped by job control */
	bool trap_pending;	/* the SIGTRAP of a trap instruction is on its way */
	bool busy;		/* it runs into a trap whenever it is resumed */
	bool killed_next;	/* as soon as it has been resumed */
	bool asleep;		/* in vfork(2): it cannot be stopped */
	bool worker;		/* the kernel's own */
};

struct scripted {
	struct actor actors[ACTORS_MAX];
	unsigned n, calls, sleeps, pauses, since;
	unsigned in_the_middle;	/* so often some task is in the middle of what is ours */
	uint64_t told;		/* without a stop, and not asked for yet */
	int wait_fails;		/* errno of the next wait, once; 0: it does not */
	uint64_t wake_ns, first_wake, last_wake; /* how often its wait ends */
	bool same_first;	/* wait looks at the same task first, always */
	bool signalled;		/* the wait that sleeps ends with EINTR */
	bool leaves_exec;	/* the owner has tasks leave their exec before they are an image */
	bool has_calls;		/* the owner has who traps make a system call, or tries to */
	volatile sig_atomic_t stop;
	enum trap_answer answer[2]; /* to a SIGTRAP; [1]: from a trap instruction for certain */
	struct address_space *spaces[ACTORS_MAX];
	struct tracer *tracer;
	char log[LOG_MAX];
	/* The script. Each may be NULL. */
	void (*asleep)(struct scripted *k, unsigned nth);  /* wait sleeps, for the nth time */
	void (*paused)(struct scripted *k, unsigned nth);  /* time passes, for the nth time */
	void (*looked)(struct scripted *k);		    /* wait was asked, with WNOHANG */
	bool (*interrupt)(struct scripted *k, struct actor *a); /* true: instead of stopping it */
	bool (*step)(struct scripted *k, struct actor *a);	 /* true: instead of stepping it */
	void (*reading)(struct scripted *k);		    /* the list of threads has been read */
};

__attribute__((format(printf, 2, 3))) static inline void note(struct scripted *k, const char *fmt,
							      ...)
{
	size_t len = strlen(k->log);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(k->log + len, sizeof k->log - len, fmt, ap);
	va_end(ap);
	assert_true(strlen(k->log) + 1 < sizeof k->log);
}

/* That was done since the last time, and nothing else. */
static inline void expect(struct scripted *k, const char *lines)
{
	assert_string_equal(k->log, lines);
	k->log[0] = 0;
}

static inline struct actor *actor(struct scripted *k, int n)
{
	for (unsigned i = 0; i < k->n; i++)
		if (k->actors[i].tid == TID(n) && k->actors[i].there)
			return &k->actors[i];
	return NULL;
}

/* ---- what a script can have happen ---- */

/* Task @n of process @process is there. Nobody traces it. */
static inline struct actor *appears(struct scripted *k, int n, int process, int memory)
{
	assert_true(k->n < ACTORS_MAX);
	struct actor *a = &k->actors[k->n++];

	*a = (struct actor){ .tid = TID(n), .tgid = TID(process), .memory = memory, .there = true };
	return a;
}

/* The same, made by a task that is traced: it is traced, too, and its first stop is to come. */
static inline struct actor *is_born(struct scripted *k, int n, int process, int memory, int parent)
{
	struct actor *a = appears(k, n, process, memory);

	a->ppid = TID(parent);
	a->ours = true;
	return a;
}

static inline void befalls(struct scripted *k, struct actor *a, int wstatus, int si_code)
{
	a->stopped = WIFSTOPPED(wstatus);
	a->ended = !a->stopped;
	a->listening = a->interrupted = a->asleep = false;
	a->group_stop |= wstatus == GROUP_STOP;
	a->untold = true;
	a->wstatus = wstatus;
	a->si_code = si_code;
	a->since = ++k->since;
}

/* It stops or ends; whatever was not told of it before will not be. */
static inline void happens(struct scripted *k, int n, int wstatus)
{
	struct actor *a = actor(k, n);

	assert_non_null(a);
	befalls(k, a, wstatus, SI_USER);
}

/* It runs into a trap instruction. */
static inline void traps(struct scripted *k, int n)
{
	befalls(k, actor(k, n), STOPPED(SIGTRAP), SI_KERNEL);
}

/* A fork, clone or vfork of @child. */
static inline void tells_of(struct scripted *k, int n, int event, int child)
{
	happens(k, n, EVENT(event));
	actor(k, n)->msg = (unsigned long)TID(child);
}

/* A leader ends while its threads go on: it is a zombie, and nothing is told of that. */
static inline void ends_unheard(struct scripted *k, int n)
{
	struct actor *a = actor(k, n);

	a->ended = true;
	a->stopped = a->untold = false;
}

/* It is gone without a trace, as threads are that an exec has ended. */
static inline void vanishes(struct scripted *k, int n)
{
	actor(k, n)->there = false;
}

/* The tracer is asked to leave its loop: the flag is set, and no wait sleeps from then on. */
static inline void ask_to_leave(struct scripted *k)
{
	k->stop = 1;
	k->signalled = true;
}

/* ---- struct kernel ---- */

static inline struct actor *find(struct scripted *k, pid_t tid)
{
	/* A loop that would never end is to end here. */
	assert_true(++k->calls < CALLS_MAX);
	return actor(k, NUMBER(tid));
}

static inline bool matches(const struct actor *a, pid_t tid)
{
	return a->there && a->ours && (tid == -1 || a->tid == tid);
}

static inline struct actor *untold(struct scripted *k, pid_t tid)
{
	struct actor *first = NULL;

	for (unsigned i = 0; i < k->n; i++) {
		struct actor *a = &k->actors[i];

		if (matches(a, tid) && a->untold &&
		    (!first || (!k->same_first && a->since < first->since)))
			first = a;
	}
	return first;
}

static inline pid_t tell(struct actor *a, int *wstatus)
{
	a->untold = false;
	a->there = !a->ended;
	*wstatus = a->wstatus;
	return a->tid;
}

static inline pid_t wait_error(int err)
{
	errno = err;
	return -1;
}

static inline pid_t scripted_wait(void *ctx, pid_t tid, int *wstatus, int flags)
{
	struct scripted *k = ctx;
	struct actor *a = untold(k, tid);
	bool any = false;

	assert_true(++k->calls < CALLS_MAX);
	if (k->wait_fails) {
		int err = k->wait_fails;

		k->wait_fails = 0;
		return wait_error(err);
	}
	if (!a && flags & WNOHANG && k->looked)
		k->looked(k);
	a = untold(k, tid);
	for (unsigned i = 0; i < k->n; i++)
		any |= matches(&k->actors[i], tid);
	if (a)
		return tell(a, wstatus);
	if (!any)
		return wait_error(ECHILD);
	if (flags & WNOHANG)
		return 0;
	if (k->asleep && !k->signalled)
		k->asleep(k, ++k->sleeps);
	if (k->signalled)
		return wait_error(EINTR);
	a = untold(k, tid);
	if (!a && k->wake_ns)
		return wait_error(EINTR);
	if (!a)
		fail_msg("sleeps for ever, having done:\n%s", k->log);
	return tell(a, wstatus);
}

static inline void note_request(struct scripted *k, const char *what, pid_t tid, int sig, bool done)
{
	note(k, "%s %d%s%s%s\n", what, NUMBER(tid), sig ? " " : "", sig ? sigabbrev_np(sig) : "",
	     done ? "" : ": refused");
}

static inline void goes_on(struct scripted *k, struct actor *a)
{
	bool interrupted = a->interrupted;

	a->stopped = a->interrupted = false;
	if (a->killed_next) {
		befalls(k, a, KILLED(SIGKILL), 0);
	} else if (a->trap_pending || a->busy) {
		a->trap_pending = false;
		befalls(k, a, STOPPED(SIGTRAP), SI_KERNEL);
	} else if (interrupted) {
		befalls(k, a, a->group_stop ? GROUP_STOP : HELD, 0);
	}
}

static inline long seize_actor(struct scripted *k, struct actor *a, pid_t tid)
{
	int err = !a || a->ended		? ESRCH
		  : a->ours || a->other_tracer ? EPERM
					       : a->not_seized;

	note_request(k, "seize", tid, 0, !err);
	if (err)
		return wait_error(err);
	a->ours = true;
	return 0;
}

static inline long interrupt_actor(struct scripted *k, struct actor *a)
{
	note_request(k, "interrupt", a->tid, 0, !a->ended);
	if (a->ended)
		return wait_error(ESRCH);
	if (k->interrupt && k->interrupt(k, a))
		return 0;
	if (a->asleep || (a->stopped && !a->listening))
		a->interrupted = true;
	else
		befalls(k, a, a->group_stop ? GROUP_STOP : HELD, 0);
	return 0;
}

/* What lets a stopped task go on. */
static inline long resume_actor(struct scripted *k, int request, struct actor *a, int sig)
{
	const char *what = request == PTRACE_DETACH ? "detach" :
			   request == PTRACE_LISTEN ? "listen" :
			   request == PTRACE_SINGLESTEP ? "step" : "cont";
	bool done = a->stopped && !a->listening;

	note_request(k, what, a->tid, sig, done);
	if (!done)
		return wait_error(ESRCH);
	if (request == PTRACE_LISTEN) {
		a->listening = true;
		return 0;
	}
	if (request == PTRACE_DETACH) {
		a->ours = a->stopped = false;
		return 0;
	}
	bool was_interrupted = a->interrupted;

	goes_on(k, a);
	if (request == PTRACE_SINGLESTEP && !was_interrupted && !(k->step && k->step(k, a)))
		befalls(k, a, STOPPED(SIGTRAP), TRAP_TRACE);
	return 0;
}

/* What asks a stopped task. */
static inline long ask_actor(int request, const struct actor *a, const void *addr, void *data)
{
	const struct __ptrace_peeksiginfo_args *from = addr;

	if (!a->stopped || a->listening)
		return wait_error(ESRCH);
	switch (request) {
	case PTRACE_GETSIGINFO:
		*(siginfo_t *)data = (siginfo_t){ .si_signo = WSTOPSIG(a->wstatus),
						  .si_code = a->si_code };
		return 0;
	case PTRACE_GETEVENTMSG:
		*(unsigned long *)data = a->msg;
		return 0;
	case PTRACE_GETSIGMASK:
		memset(data, 0, sizeof(uint64_t));
		return 0;
	case PTRACE_GET_SYSCALL_INFO:
		return 0; /* which call it is nobody knows */
	case GET_SYSCALL_USER_DISPATCH:
		*(uint64_t *)data = a->dispatches;
		return 0;
	case PTRACE_PEEKSIGINFO:
		if (!a->trap_pending || from->off)
			return 0;
		*(siginfo_t *)data = (siginfo_t){ .si_signo = SIGTRAP, .si_code = SI_KERNEL };
		return 1;
	default:
		fail_msg("request %#x is not in the script", (unsigned)request);
		return -1;
	}
}

static inline long scripted_request(void *ctx, int request, pid_t tid, void *addr, void *data)
{
	struct scripted *k = ctx;
	struct actor *a = find(k, tid);

	if (request == PTRACE_SEIZE)
		return seize_actor(k, a, tid);
	if (!a || !a->ours) {
		note(k, "request to %d: nobody's\n", NUMBER(tid));
		return wait_error(ESRCH);
	}
	switch (request) {
	case PTRACE_INTERRUPT:
		return interrupt_actor(k, a);
	case PTRACE_CONT:
	case PTRACE_SINGLESTEP:
	case PTRACE_LISTEN:
	case PTRACE_DETACH:
		return resume_actor(k, request, a, (int)(intptr_t)data);
	default:
		return ask_actor(request, a, addr, data);
	}
}

static inline struct proc_status scripted_status(void *ctx, pid_t tid)
{
	struct scripted *k = ctx;
	struct actor *a = find(k, tid);
	struct proc_status s = { .name = "?", .state = 'X' };

	if (!a)
		return s;
	s.state = a->ended ? 'Z' : a->stopped ? 't' : 'R';
	s.tgid = a->tgid;
	s.ppid = a->ppid;
	s.tracer = a->ours ? getpid() : a->other_tracer;
	for (unsigned i = 0; i < k->n; i++)
		s.threads += k->actors[i].there && k->actors[i].tgid == a->tgid;
	return s;
}

static inline int scripted_shares_memory(void *ctx, pid_t a, pid_t b)
{
	const struct actor *one = find(ctx, a), *other = find(ctx, b);

	return one && other && one->memory == other->memory;
}

/* A thread of process @pid; 0: a process. */
static inline bool is_listed(const struct actor *a, pid_t pid)
{
	return a->there && (pid ? a->tgid == pid : a->tid == a->tgid);
}

static inline int scripted_each_task(void *ctx, pid_t pid, int (*visit)(void *arg, pid_t tid),
				     void *arg)
{
	struct scripted *k = ctx;
	unsigned n = k->n; /* who comes meanwhile is not listed */
	bool any = false;
	int err = 0;

	for (unsigned i = 0; !err && i < n; i++)
		if (is_listed(&k->actors[i], pid)) {
			any = true;
			err = visit(arg, k->actors[i].tid);
		}
	if (k->reading && pid)
		k->reading(k);
	return any ? err : -ESRCH;
}

static inline bool scripted_permits(void *ctx, pid_t pid)
{
	const struct actor *a = find(ctx, pid);

	return !a || !a->private;
}

static inline struct address_space *scripted_open_space(void *ctx, pid_t tid)
{
	struct scripted *k = ctx;
	struct actor *a = find(k, tid);
	struct address_space *s = a && !a->ended ? calloc(1, sizeof *s) : NULL;

	if (!s) {
		errno = ESRCH;
		return NULL;
	}
	*s = (struct address_space){ .mem = -1, .pid = tid };
	for (unsigned i = 0; i < ACTORS_MAX; i++)
		if (!k->spaces[i]) {
			k->spaces[i] = s;
			return s;
		}
	fail_msg("too many spaces");
	return NULL;
}

static inline bool scripted_sleeps_in_vfork(void *ctx, pid_t tid)
{
	const struct actor *a = find(ctx, tid);

	return a && a->asleep;
}

static inline bool scripted_is_worker(void *ctx, pid_t tid)
{
	const struct actor *a = find(ctx, tid);

	return a && a->there && a->worker;
}

static inline void scripted_pause(void *ctx, uint64_t ns)
{
	struct scripted *k = ctx;

	assert_true(++k->calls < CALLS_MAX);
	if (ns && k->paused)
		k->paused(k, ++k->pauses);
}

/* ---- struct tracer_ops: an owner that writes down what it is told ---- */

static inline bool owner_image(void *ctx, struct task *task)
{
	struct scripted *k = ctx;
	int err = k->leaves_exec ? tracer_leave_exec(k->tracer, task) : 0;

	if (err)
		note(k, "no image %d: %s\n", NUMBER(task->tid), strerrorname_np(-err));
	else
		note(k, "image %d%s\n", NUMBER(task->tid),
		     k->leaves_exec && task_can_call(task) ? ", can call" : "");
	task->space->user = k; /* what it keeps for the image */
	return true;
}

static inline bool owner_forked(void *ctx, struct task *child, const struct task *parent,
				struct address_space *space)
{
	assert_ptr_not_equal(child->space, space);
	note(ctx, "forked %d by %d\n", NUMBER(child->tid), NUMBER(parent->tid));
	return true;
}

static inline void owner_unfollowed(void *ctx, struct task *task, const struct address_space *space,
				    int err)
{
	(void)space;
	note(ctx, "unfollowed %d %d\n", NUMBER(task->tid), err);
}

static inline void owner_thread(void *ctx, struct task *task)
{
	note(ctx, "thread %d of %d\n", NUMBER(task->tid), NUMBER(task->tgid));
}

static inline enum trap_answer owner_trap(void *ctx, struct task *task, bool certain)
{
	struct scripted *k = ctx;

	note(k, "trap %d%s\n", NUMBER(task->tid), certain ? ", certain" : "");
	if (k->has_calls) {
		struct tracer_calls c;

		note(k, "%s\n",
		     tracer_calls_begin(&c, k->tracer, task, 0) ? "no call" : "call");
	}
	return k->answer[certain];
}

static inline void owner_alone(void *ctx, struct task *task, bool out, bool stepped)
{
	note(ctx, "%s %d%s\n", out ? "out" : "in", NUMBER(task->tid), stepped ? ", stepped" : "");
}

static inline bool owner_settle(void *ctx, struct task *task, bool trapped)
{
	note(ctx, "settle %d%s\n", NUMBER(task->tid), trapped ? ", trapped" : "");
	return trapped;
}

static inline void owner_task_gone(void *ctx, struct task *task)
{
	note(ctx, "gone %d\n", NUMBER(task->tid));
}

static inline void owner_space_gone(void *ctx, struct address_space *space)
{
	struct scripted *k = ctx;

	note(k, "space gone %d\n", NUMBER(space->pid));
	for (unsigned i = 0; i < ACTORS_MAX; i++)
		if (k->spaces[i] == space)
			k->spaces[i] = NULL;
}

static inline bool owner_clean(void *ctx, struct address_space *space)
{
	struct scripted *k = ctx;
	bool done = !k->in_the_middle;

	note(k, "clean %d%s\n", NUMBER(space->pid), done ? "" : ": not yet");
	k->in_the_middle -= !done;
	return done;
}

static inline uint64_t owner_idle(void *ctx)
{
	struct scripted *k = ctx;
	uint64_t told = k->told;

	if (told)
		note(k, "told %u\n", (unsigned)told);
	k->told = 0;
	return told;
}

static inline void owner_ended(void *ctx, pid_t pid, int wstatus)
{
	note(ctx, "ended %d %#x\n", NUMBER(pid), (unsigned)wstatus);
}

static inline void owner_exiting(void *ctx, struct task *task)
{
	note(ctx, "exiting %d\n", NUMBER(task->tid));
}

static inline void owner_reaped(void *ctx, pid_t pid, int wstatus)
{
	note(ctx, "reaped %d %#x\n", NUMBER(pid), (unsigned)wstatus);
}

static inline void scripted_wake(void *ctx, uint64_t ns)
{
	((struct scripted *)ctx)->wake_ns = ns;
}

static inline struct kernel kernel_of_script(struct scripted *k)
{
	return (struct kernel){
		.wait = scripted_wait,
		.request = scripted_request,
		.status = scripted_status,
		.shares_memory = scripted_shares_memory,
		.each_task = scripted_each_task,
		.open_space = scripted_open_space,
		.permits = scripted_permits,
		.sleeps_in_vfork = scripted_sleeps_in_vfork,
		.is_worker = scripted_is_worker,
		.pause = scripted_pause,
		.wake = scripted_wake,
		.ctx = k,
	};
}

static const struct tracer_ops owner_ops = {
	.image = owner_image,
	.forked = owner_forked,
	.unfollowed = owner_unfollowed,
	.thread = owner_thread,
	.trap = owner_trap,
	.alone = owner_alone,
	.settle = owner_settle,
	.task_gone = owner_task_gone,
	.space_gone = owner_space_gone,
	.clean = owner_clean,
	.ended = owner_ended,
	.exiting = owner_exiting,
	.reaped = owner_reaped,
	.idle = owner_idle,
};

static inline int begin_script(void **state)
{
	struct scripted *k = calloc(1, sizeof *k);

	if (!k)
		return -1;
	struct kernel kernel = kernel_of_script(k);

	*state = k;
	k->answer[0] = k->answer[1] = TRAP_OURS;
	k->tracer = tracer_new_on(&kernel, &owner_ops, k, NULL);
	if (!k->tracer)
		return -1;
	tracer_set_wait(k->tracer, WAIT_SLEEP);
	return 0;
}

static inline int end_script(void **state)
{
	struct scripted *k = *state;

	tracer_free(k->tracer);
	for (unsigned i = 0; i < ACTORS_MAX; i++)
		address_space_free(k->spaces[i]);
	free(k);
	return 0;
}

/* Process 1 with @n threads, which is traced and runs. */
static inline struct scripted *traced_process(void **state, int n)
{
	struct scripted *k = *state;

	for (int i = 1; i <= n; i++)
		appears(k, i, 1, 1);
	assert_int_equal(tracer_attach(k->tracer, TID(1)), 0);
	k->log[0] = 0;
	return k;
}

/* Serve what the script has happen, until it asks to leave, or until nobody is left. */
static inline void run_script(struct scripted *k, void (*asleep)(struct scripted *k, unsigned nth))
{
	k->asleep = asleep;
	k->sleeps = 0;
	k->stop = 0;
	k->signalled = false;
	assert_int_equal(tracer_run(k->tracer, &k->stop), 0);
	k->signalled = false;
}

static inline const struct task *task_of(struct scripted *k, int n)
{
	struct task *task;

	for (size_t i = 0; (task = tracer_next_task(k->tracer, &i));)
		if (task->tid == TID(n))
			return task;
	return NULL;
}

#endif
