/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/signals.h"

#include "attach/kernel.h"
#include "session/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Restarts no system call, unlike all others: what the tracer sleeps in ends for it. */
#define SIGNUDGE KERNEL_WAKES_BY
#define NUDGE_NS 1000000

enum { EMERGENCY_SECONDS = 3 };

volatile sig_atomic_t signals_attention;
static volatile sig_atomic_t told_to_end, looping;
static timer_t nudge;

int serve_told(void)
{
	return told_to_end;
}

/*
 * The tracer may be about to sleep in waitpid(2), which takes no signal mask: a signal that comes
 * between its look at the flag and its sleep would be seen at the next stop. So it is nudged until
 * it has looked.
 */
static void wake(void)
{
	static const struct itimerspec at_once = { .it_value.tv_nsec = 1,
						   .it_interval.tv_nsec = NUDGE_NS };
	int saved = errno;

	signals_attention = 1;
	if (looping)
		timer_settime(nudge, 0, &at_once, NULL);
	errno = saved;
}

static void stop_nudging(void)
{
	static const struct itimerspec never;

	timer_settime(nudge, 0, &never, NULL);
}

static void on_nudge(int sig)
{
	(void)sig; /* only ends the sleep */
}

static void on_end_signal(int sig)
{
	told_to_end = sig;
	wake();
}

static void on_attention(int sig)
{
	(void)sig;
	wake();
}

static void handle(int sig, void (*handler)(int))
{
	/* Not a SIGCHLD for each stop of each task: nobody wants it, and who holds us would be told
	 * of all. */
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NOCLDSTOP };

	sigaction(sig, &sa, NULL);
}

#ifndef __SANITIZE_ADDRESS__
static struct tracer *tracing;
static say_fn *say;

/* An error of our own must not strand the program: let it go first, then die of it. If that fails
 * too, the process that watches over us puts it back in order. */
static void on_internal_error(int sig, siginfo_t *si, void *context)
{
	struct tracer *t = tracing;

	(void)context;
	/* Somebody else has sent it, and it may have come when waitpid(2) has told of a stop that
	 * we do not know of yet: then the program cannot be let go from here. Whoever sends it
	 * again means it. */
	if (si->si_code <= 0 && si->si_pid != getpid() && !told_to_end) {
		on_end_signal(sig);
		return;
	}
	signal(sig, SIG_DFL);
	tracing = NULL;
	/* What went wrong may be what is needed now. Then end, and be seen to have ended. */
	signal(SIGALRM, SIG_DFL);
	alarm(EMERGENCY_SECONDS);
	if (t) {
		tracer_detach_all(t);
		say_to(say, "internal error (%s): the program has been let go", strsignal(sig));
	}
	raise(sig);
}

static void catch_internal_errors(struct tracer *t, say_fn *tell)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	static char stack[256 << 10];
	stack_t on_it = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction sa = { .sa_sigaction = on_internal_error,
				.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART };

	tracing = t;
	say = tell;
	sigaltstack(&on_it, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &sa, NULL);
}
#else
static void catch_internal_errors(struct tracer *t, say_fn *tell)
{
	(void)t, (void)tell; /* the sanitizer wants to report them itself */
}
#endif

/* Those in front of SIGRTMIN the C library keeps for itself. It has no handler for them before it
 * needs one, and lets nobody else have one; anybody can send them. They get what SIGTERM has, in
 * the kernel's words. */
static void handle_reserved_signals(void)
{
	uint64_t action[8];

	if (syscall(SYS_rt_sigaction, SIGTERM, NULL, action, _NSIG / 8))
		return;
	for (int sig = __SIGRTMIN; sig < SIGRTMIN; sig++)
		syscall(SYS_rt_sigaction, sig, action, NULL, _NSIG / 8);
}

/* Whatever would end us lets the programs go first. */
static void handle_end_signals(void)
{
	static const int signals[] = { SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
				       SIGPWR,
				       SIGSTKFLT, SIGSYS, SIGTRAP };
	struct sigaction hangup;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		handle(signals[i], on_end_signal);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		handle(sig, on_end_signal);
	handle_reserved_signals();
	handle(SIGXFSZ, SIG_IGN);
	/* Started with nohup, it is not meant for us. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		handle(SIGHUP, on_end_signal);
}

/* Who started us may have blocked what we live by. The program has been started already. That a
 * child or a thread has ended waitpid(2) tells. */
static void unblock(void)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* The signal of a timer counts among those that the user may have pending. */
int signals_prepare(struct error *e)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGNUDGE };
	struct rlimit pending;

	if (!timer_create(CLOCK_MONOTONIC, &ev, &nudge))
		return 0;
	int err = -errno;
	bool limited = err == -EAGAIN && !getrlimit(RLIMIT_SIGPENDING, &pending) &&
		       pending.rlim_cur != RLIM_INFINITY;

	return error_set(e, err, "cannot start: no timer can be made: %s%s", strerror(-err),
			 limited ? " (RLIMIT_SIGPENDING: ulimit -i has to be larger)" : "");
}

static void handle_nudge(void)
{
	struct sigaction sa = { .sa_handler = on_nudge };

	sigaction(SIGNUDGE, &sa, NULL);
}

/* ---- when the programs are on their own ---- */

static struct journal *hurried; /* who watches over us */

/* By itself: who reads what we say may be stopped, and a handler waits for nobody. */
static void say_at_once(const char *sentence)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (poll(&p, 1, 0) == 1 && p.revents == POLLOUT)
		(void)!write(STDERR_FILENO, sentence, strlen(sentence));
}

/* Die of it. No program waits for us, and what is written takes its place when it is whole. */
static void give_up(int sig)
{
	say_at_once("mprof: given up: what has not been written by now is lost\n");
	journal_leave(hurried);
	_exit(end_with((struct ending){ .signal = sig }));
}

/* What a terminal or a shell sends to all of us comes from there, and once more from our parent,
 * who passes it on. */
static void on_hurry(int sig, siginfo_t *si, void *context)
{
	static volatile sig_atomic_t passed_on, sent;
	bool by_parent = si->si_code <= 0 && si->si_pid == getppid();
	volatile sig_atomic_t *times = by_parent ? &passed_on : &sent;
	int saved = errno;

	(void)context;
	if (*times)
		give_up(sig);
	*times = 1;
	if (!passed_on || !sent)
		say_at_once("mprof: what was profiled is being written; the same signal once more "
			    "gives that up\n");
	errno = saved;
	on_end_signal(sig);
}

static const int hurry_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
enum { N_HURRY = sizeof hurry_signals / sizeof *hurry_signals };
static struct sigaction before_hurry[N_HURRY];
static bool not_meant[N_HURRY]; /* by who started us: with nohup, or in the background */

static void note_what_is_meant(void)
{
	struct sigaction now;

	for (size_t i = 0; i < N_HURRY; i++)
		not_meant[i] = !sigaction(hurry_signals[i], NULL, &now) &&
			       now.sa_handler == SIG_IGN;
}

void signals_hurry(struct journal *g)
{
	struct sigaction sa = { .sa_sigaction = on_hurry };

	hurried = g;
	for (size_t i = 0; i < N_HURRY; i++) {
		sigaction(hurry_signals[i], NULL, &before_hurry[i]);
		/* What had no say so far breaks off no write to a pipe either. */
		sa.sa_flags = SA_SIGINFO | (before_hurry[i].sa_handler == SIG_IGN ? SA_RESTART : 0);
		if (!not_meant[i])
			sigaction(hurry_signals[i], &sa, NULL);
	}
}

void signals_hurry_no_more(void)
{
	for (size_t i = 0; i < N_HURRY; i++)
		sigaction(hurry_signals[i], &before_hurry[i], NULL);
}

/* ---- all of it ---- */

void signals_begin(struct tracer *tracer, bool end_on_interrupt, say_fn *tell)
{
	handle_nudge();
	looping = 1;
	note_what_is_meant();
	handle_end_signals();
	/* The terminal's SIGINT reaches a program we run as well: it decides, we go on. */
	handle(SIGINT, end_on_interrupt ? on_end_signal : SIG_IGN);
	handle(SIGQUIT, end_on_interrupt ? on_end_signal : SIG_IGN);
	handle(SIGIO, on_attention);
	handle(SIGALRM, on_attention);
	handle(SIGPIPE, SIG_IGN);
	/* Ignored, an ended child would be nobody's to wait for. */
	handle(SIGCHLD, SIG_DFL);
	/* Stopped ourselves, we could not pass the terminal's stop on to the program. */
	handle(SIGTSTP, SIG_IGN);
	handle(SIGTTIN, SIG_IGN);
	handle(SIGTTOU, SIG_IGN);
	unblock();
	catch_internal_errors(tracer, tell);
}

void signals_interrupt(void)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };
	struct sigaction sa;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		if (sigaction(signals[i], NULL, &sa) || sa.sa_handler != on_end_signal)
			continue;
		sa.sa_flags &= ~SA_RESTART;
		sigaction(signals[i], &sa, NULL);
	}
}

void signals_attended(void)
{
	/* In this order: what comes in between nudges again. */
	stop_nudging();
	signals_attention = 0;
}

void signals_end(void)
{
	looping = 0;
	stop_nudging();
}

void signals_wait(void)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	while (!signals_attention)
		sigsuspend(&before);
	signals_attention = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_obeyed(void)
{
	told_to_end = 0;
}
