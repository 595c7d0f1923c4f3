/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that traces the tracer. When a tracer is killed the kernel detaches its tracees at
 * once, and they run on from wherever they were. But a tracer that is traced itself stops before
 * that (PTRACE_EVENT_EXIT): until it is resumed its tracees stay as they are, and all of them can
 * be stopped.
 */
#include "attach/hang.h"
#include "attach/rescue_internal.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shorten the time until the running tasks have been stopped. Without the privilege for it nothing
 * is changed. */
static void hurry(pid_t who)
{
	struct sched_param first = { .sched_priority = 1 };

	sched_setscheduler(who, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}

static bool hold(struct journal *g, pid_t tracer, int meeting)
{
	bool held = tracer &&
		    !ptrace(PTRACE_SEIZE, tracer, NULL, (void *)(intptr_t)PTRACE_O_TRACEEXIT);

	atomic_store(&g->kept, held);
	close(meeting);
	return held;
}

/* The tracer is at PTRACE_EVENT_EXIT. True: how its tasks stand has been recorded. */
static bool at_its_end(struct journal *g, pid_t tracer, struct recovery_sight *s)
{
	bool clean = atomic_load(&g->clean);

	if (!clean) {
		watchdog_stop_programs(g);
		sight_take(g, s);
	}
	/* Its tasks wait until it is gone. */
	hurry(tracer);
	/* A second SIGKILL does not wait for us. */
	return !ptrace(PTRACE_CONT, tracer, NULL, NULL) && !clean;
}

/* Resume the tracer from any other stop. */
static void let_go_on(struct journal *g, pid_t tracer, int wstatus)
{
	int sig = WSTOPSIG(wstatus), event = wstatus >> 16;

	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		ptrace(PTRACE_LISTEN, tracer, NULL, NULL);
	else if (event)
		ptrace(PTRACE_CONT, tracer, NULL, NULL);
	else
		ptrace(atomic_load(&g->clean) ? PTRACE_DETACH : PTRACE_CONT, tracer, NULL,
		       (void *)(intptr_t)sig);
}

static void wake(int sig)
{
	(void)sig;
}

/* Interrupt the wait every so many seconds, to check that the tracer makes progress; 0: no more.
 * The keeper does this and not the watchdog, which job control stops along with the terminal's
 * other processes. */
static void wake_every(int seconds)
{
	struct itimerval every = { { seconds, 0 }, { seconds, 0 } };
	struct sigaction act = { .sa_handler = wake };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* True: the tracer has ended; false: it has undone everything itself. */
static bool await_end(struct journal *g, pid_t tracer, struct recovery_sight *s, bool *seen)
{
	struct hang hang = { 0 };
	int wstatus;

	wake_every(1);
	for (;;) {
		pid_t got = waitpid(tracer, &wstatus, __WALL);

		if (got < 0 && errno == EINTR) {
			hang_look(&hang, g, tracer);
			continue;
		}
		if (got < 0)
			return false;
		if (!WIFSTOPPED(wstatus))
			return true;
		if (wstatus >> 16 == PTRACE_EVENT_EXIT) {
			wake_every(0);
			*seen = at_its_end(g, tracer, s);
		} else {
			let_go_on(g, tracer, wstatus);
		}
	}
}

/* A socket and no semaphore, which would never be posted if the tracer were killed. */
static void await_tracer(int meeting)
{
	char c;

	while (read(meeting, &c, 1) < 0 && errno == EINTR)
		;
}

void keeper_main(struct journal *g, int meeting)
{
	struct recovery_sight sight = { 0 };
	bool seen = false;

	hurry(0);
	await_tracer(meeting);
	pid_t tracer = atomic_load(&g->tracer);

	if (hold(g, tracer, meeting) && await_end(g, tracer, &sight, &seen) &&
	    !atomic_load(&g->clean)) {
		if (!seen)
			watchdog_stop_programs(g);
		rescue_programs(g, seen ? &sight : NULL);
		atomic_store(&g->rescued, true);
	}
	free(sight.v);
}
