/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/signals.h"

#include "attach/kernel.h"
#include "base/ownsignal.h"
#include "session/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Unlike all other handlers, this one's has no SA_RESTART: it interrupts the tracer's
 * waitpid(2). */
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
 * The tracer may be about to sleep in waitpid(2), which takes no signal mask: a signal between its
 * check of the flag and its sleep would be noticed only at the next stop. So a timer sends SIGNUDGE
 * until the tracer has checked the flag again.
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
	(void)sig; /* only interrupts waitpid(2) */
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
	/* SA_NOCLDSTOP: without it there is a SIGCHLD for each stop of each task, and a tracer of
	 * ours, such as the watchdog, would have to handle them all. */
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NOCLDSTOP };

	sigaction(sig, &sa, NULL);
}

#ifndef __SANITIZE_ADDRESS__
static struct tracer *tracing;
static pid_t tracing_in;
static say_fn *say;

/* An internal error must not strand the program: detach from it first, then die of the signal. If
 * that fails, too, the watchdog recovers the program. A forked child just dies: it has the tracer's
 * descriptors of the program's memory, but the tracer goes on. */
static void on_internal_error(int sig, siginfo_t *si, void *context)
{
	struct tracer *t = getpid() == tracing_in ? tracing : NULL;

	(void)context;
	/* Sent by another process. waitpid(2) may just have reported a stop that is not recorded
	 * yet, and then we cannot detach from here; so it ends the session as SIGTERM does. The
	 * second time it is handled as an error of our own. */
	if (si->si_code <= 0 && si->si_pid != getpid() && !told_to_end) {
		on_end_signal(sig);
		return;
	}
	signal(sig, SIG_DFL);
	tracing = NULL;
	/* Detaching may hang on what went wrong. Then SIGALRM ends us, and the watchdog takes
	 * over. */
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
	tracing_in = getpid();
	say = tell;
	sigaltstack(&on_it, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &sa, NULL);
}
#else
static void catch_internal_errors(struct tracer *t, say_fn *tell)
{
	(void)t, (void)tell; /* the sanitizer reports these signals itself */
}
#endif

/* The C library reserves the signals below SIGRTMIN for itself: it installs a handler only when it
 * needs one, and sigaction() refuses them to others, but anybody can send them. So they get the
 * action of SIGTERM by the system call itself, in the kernel's own format. */
static void handle_reserved_signals(void)
{
	uint64_t action[8];

	if (syscall(SYS_rt_sigaction, SIGTERM, NULL, action, _NSIG / 8))
		return;
	for (int sig = __SIGRTMIN; sig < SIGRTMIN; sig++)
		syscall(SYS_rt_sigaction, sig, action, NULL, _NSIG / 8);
}

/* Any signal that would end us ends the session in order, which detaches from the programs. */
static void handle_end_signals(void)
{
	static const int signals[] = { SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
				       SIGPWR,
				       SIGSTKFLT, SIGSYS, SIGTRAP };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		handle(signals[i], on_end_signal);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		handle(sig, on_end_signal);
	handle_reserved_signals();
	handle(SIGXFSZ, SIG_IGN);
	/* Under nohup SIGHUP stays ignored. */
	if (!signal_is_ignored(SIGHUP))
		handle(SIGHUP, on_end_signal);
}

/* Our parent may have blocked signals that we need. The program has been started already. SIGCHLD
 * is not needed: waitpid(2) reports children. */
static void unblock(void)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* A timer uses one of the signals that the user may have pending (RLIMIT_SIGPENDING). */
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

/* ---- after detaching ---- */

static struct journal *hurried; /* the watchdog's journal */

/* Written directly and only if it does not block: this is called in a signal handler, and the
 * reader of stderr may be stopped. */
static void say_at_once(const char *sentence)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (poll(&p, 1, 0) == 1 && p.revents == POLLOUT)
		(void)!write(STDERR_FILENO, sentence, strlen(sentence));
}

/* Die of @sig. No program is traced any more, and a file replaces the old one only when
 * complete. */
static void give_up(int sig)
{
	say_at_once("mprof: given up: what has not been written by now is lost\n");
	journal_leave(hurried);
	_exit(end_with((struct ending){ .signal = sig }));
}

/* A signal that a terminal or shell sends to the whole process group arrives twice: directly, and
 * again from our parent, which passes it on. Each source is counted for itself. */
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
static bool was_ignored[N_HURRY]; /* ignored when we were started: by nohup, or in the background */

static void note_ignored(void)
{
	for (size_t i = 0; i < N_HURRY; i++)
		was_ignored[i] = signal_is_ignored(hurry_signals[i]);
}

void signals_hurry(struct journal *g)
{
	struct sigaction sa = { .sa_sigaction = on_hurry };

	hurried = g;
	for (size_t i = 0; i < N_HURRY; i++) {
		sigaction(hurry_signals[i], NULL, &before_hurry[i]);
		/* A signal that was ignored so far must not interrupt a write to a pipe either. */
		sa.sa_flags = SA_SIGINFO | (before_hurry[i].sa_handler == SIG_IGN ? SA_RESTART : 0);
		if (!was_ignored[i])
			sigaction(hurry_signals[i], &sa, NULL);
	}
}

void signals_hurry_no_more(void)
{
	for (size_t i = 0; i < N_HURRY; i++)
		sigaction(hurry_signals[i], &before_hurry[i], NULL);
}

/* ---- public ---- */

void signals_begin(struct tracer *tracer, bool end_on_interrupt, say_fn *tell)
{
	handle_nudge();
	looping = 1;
	note_ignored();
	handle_end_signals();
	/* A program that we run gets the terminal's SIGINT, too: it decides, and we go on. */
	handle(SIGINT, end_on_interrupt ? on_end_signal : SIG_IGN);
	handle(SIGQUIT, end_on_interrupt ? on_end_signal : SIG_IGN);
	handle(SIGIO, on_attention);
	handle(SIGALRM, on_attention);
	handle(SIGPIPE, SIG_IGN);
	/* If it were ignored, ended children could not be waited for. */
	handle(SIGCHLD, SIG_DFL);
	/* If we stopped, we could not pass the terminal's stop on to the program. */
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
	/* In this order: a signal in between starts the timer again. */
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
