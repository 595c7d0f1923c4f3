/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/supervise.h"

#include "attach/watchdog.h"
#include "base/closerange.h"
#include "base/ownsignal.h"
#include "base/reap.h"
#include "base/say.h"
#include "base/unfinished.h"
#include "base/writeall.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t tracing_process;
static say_fn *say; /* tells the user; a process has only one session */

static void pass_on(int sig)
{
	if (tracing_process > 0)
		kill(tracing_process, sig);
}

/* Signals sent to this process are meant for the tracer. */
static void pass_signals_on(void)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };
	struct sigaction sa = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		/* Under nohup SIGHUP stays ignored. */
		if (signals[i] != SIGHUP || !signal_is_ignored(SIGHUP))
			sigaction(signals[i], &sa, NULL);
	}
}

int end_with(struct ending e)
{
	if (!e.signal)
		return e.status;
	sigset_t only;

	/* End by the program's signal, but without a core dump of our own. RLIMIT_CORE does not
	 * count where core_pattern names a program, see core(5). */
	prctl(PR_SET_DUMPABLE, 0);
	signal(e.signal, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, e.signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	kill(getpid(), e.signal);
	return 128 + e.signal; /* a signal that does not end us */
}

static struct ending ending_of(int wstatus)
{
	if (WIFSIGNALED(wstatus))
		return (struct ending){ .signal = WTERMSIG(wstatus) };
	return (struct ending){ .status = WEXITSTATUS(wstatus) };
}

static int wait_for(pid_t pid)
{
	int wstatus;

	reap(pid, &wstatus);
	return wstatus;
}

/* Without SA_NOCLDSTOP there is a SIGCHLD for each stop of each task, and a tracer of this process
 * would have to handle them all. */
static void want_no_stop_signals(void)
{
	struct sigaction sa;

	if (sigaction(SIGCHLD, NULL, &sa) || sa.sa_handler != SIG_DFL)
		return;
	sa.sa_flags |= SA_NOCLDSTOP;
	sigaction(SIGCHLD, &sa, NULL);
}

__attribute__((noreturn)) static void be_the_tracer(struct journal *g, int ready, tracing_fn *body,
						     void *arg, pid_t parent, pid_t keeper,
						     int meeting)
{
	/* Not the name that people give to killall. */
	prctl(PR_SET_NAME, "mprof-tracer");
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* not SIGHUP, which nohup ignores */
	want_no_stop_signals();
	if (getppid() != parent || journal_enter(g, keeper, meeting))
		_exit(EXIT_FAILURE);
	struct ending e = body(g, ready, arg);
	fflush(NULL);
	journal_leave(g);
	exit(end_with(e));
}

static unsigned long kib(uint64_t bytes)
{
	return (unsigned long)(bytes >> 10);
}

static void say_kept(const struct program_fate *f)
{
	if (f->kept.code || f->kept.shared)
		say_to(say, "process %d keeps %lu KiB of mprof's code, and %lu KiB of addresses "
			    "with the memory that was shared; nothing uses them",
		       (int)f->pid, kib(f->kept.code), kib(f->kept.shared));
	if (f->file)
		say_to(say, "process %d keeps file descriptor %d, a file in memory that mprof has "
			    "made; it is closed by an exec", (int)f->pid, f->file - 1);
}

static void say_fate(const struct program_fate *f)
{
	switch (f->end) {
	case FATE_ALIVE:
		say_to(say, "process %d was put back in order from outside, and goes on",
		       (int)f->pid);
		if (f->left)
			say_to(say, "process %d keeps %u bytes of mprof in the unused space behind "
				    "its code: a signal handler may come back to them",
			       (int)f->pid, f->left);
		say_kept(f);
		if (f->unsure)
			say_to(say, "process %d handles SIGTRAP, and nobody saw whether a thread "
				    "ran into a breakpoint before these were taken out: if "
				    "its handler has been called for one, what it does now may be "
				    "wrong",
			       (int)f->pid);
		break;
	case FATE_DIED:
		if (f->signal == SIGTRAP)
			say_to(say, "process %d has died of SIGTRAP: a thread was in a breakpoint "
				    "that nobody could serve "
			    "any more", (int)f->pid);
		else if (f->signal)
			say_to(say, "process %d has died of signal %d "
				    "(%s)", (int)f->pid, f->signal, strsignal(f->signal));
		else
			say_to(say, "process %d has ended, nobody could see of what", (int)f->pid);
		break;
	case FATE_ENDED:
		say_to(say, "process %d had to be killed: its thread %d was left in the middle of "
			    "an instruction and "
		    "could not be put right", (int)f->pid, (int)f->task);
		break;
	}
}

/* Signals that end a tracer in order once signals_begin() has installed its handlers. A tracer that
 * died of one of them had not come so far. */
static bool has_not_begun(struct ending e)
{
	return e.signal == SIGINT || e.signal == SIGQUIT || e.signal == SIGTERM ||
	       e.signal == SIGHUP;
}

static void say_what_happened(const struct journal *g, struct ending e)
{
	struct program_fate f;

	if (has_not_begun(e))
		say_to(say, "told to end (%s) before anything was profiled", strsignal(e.signal));
	else if (watchdog_has_ended_tracer(g))
		say_to(say, "the tracing process did nothing for 10 seconds, in which threads of a "
			    "program waited for it, and has been ended");
	if (!has_not_begun(e))
		say_to(say, "the tracing process died, and what was profiled since the last save "
			    "is lost");
	for (unsigned i = 0; watchdog_next_fate(g, i, &f); i++)
		say_fate(&f);
}

/* A tracer that was killed before it began could not say why. */
static struct ending not_begun(struct ending e)
{
	if (e.signal != SIGKILL)
		return e;
	say_to(say, "the tracing process was killed before it began");
	return (struct ending){ .status = EXIT_FAILURE };
}

/* The keeper ends when the tracer does. Without a keeper, recovery is left to this process. */
static struct ending watch_over(struct journal *g, pid_t tracer, pid_t keeper)
{
	bool unclean = watchdog_wait(g, tracer), alone = !watchdog_is_kept(g);

	if (unclean && alone)
		watchdog_stop_programs(g);
	struct ending e = ending_of(wait_for(tracer));
	unfinished_remove(tracer);
	if (keeper > 0)
		wait_for(keeper);
	if (!unclean)
		return watchdog_had_tracer(g) ? e : not_begun(e);
	if (watchdog_is_left_to_us(g)) {
		watchdog_stop_programs(g);
		watchdog_recover(g);
	}
	say_what_happened(g, e);
	return has_not_begun(e) ? e : (struct ending){ .status = EXIT_FAILURE };
}

/* Our parent may be waiting for EOF on a pipe that we inherited. */
static void let_go_of_standard_files(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

/* The keeper survives when this process is stopped or killed, and setsid() takes it out of the
 * reach of the terminal's signals. */
__attribute__((noreturn)) static void be_the_keeper(struct journal *g, int meeting)
{
	prctl(PR_SET_NAME, "mprof-keeper");
	setsid();
	let_go_of_standard_files();
	if (meeting != 3)
		dup2(meeting, 3);
	closerange(4, ~0u);
	keeper_main(g, 3);
	_exit(0);
}

static struct ending no_start(int err)
{
	struct rlimit addresses;
	bool limited = err == ENOMEM && !getrlimit(RLIMIT_AS, &addresses) &&
		       addresses.rlim_cur != RLIM_INFINITY;

	say_to(say, "cannot start: %s%s", strerror(err),
	       limited ? " (RLIMIT_AS: ulimit -v has to be larger)" : "");
	return (struct ending){ .status = EXIT_FAILURE };
}

/* @meeting: a pair of connected sockets by which tracer and keeper learn of each other, or of each
 * other's end. */
static struct ending with_keeper(struct journal *g, int meeting[2], int ready, tracing_fn *body,
				 void *arg)
{
	pid_t self = getpid();

	fflush(NULL);
	pid_t keeper = fork();
	if (keeper == 0)
		be_the_keeper(g, meeting[0]);
	close(meeting[0]);
	pid_t pid = fork();
	int err = errno;
	if (pid == 0)
		be_the_tracer(g, ready, body, arg, self, keeper > 0 ? keeper : 0, meeting[1]);
	close(meeting[1]);
	if (pid < 0) {
		if (keeper > 0)
			wait_for(keeper);
		return no_start(err);
	}
	tracing_process = pid;
	pass_signals_on();
	if (ready >= 0) {
		close(ready);
		let_go_of_standard_files();
	}
	return watch_over(g, pid, keeper);
}

static struct ending in_foreground(int ready, tracing_fn *body, void *arg)
{
	struct journal *g = journal_new();
	int meeting[2];

	unfinished_share();
	if (!g || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, meeting)) {
		int err = errno;

		journal_free(g);
		return no_start(err);
	}
	struct ending e = with_keeper(g, meeting, ready, body, arg);
	journal_free(g);
	return e;
}

static struct ending in_background(tracing_fn *body, void *arg)
{
	int ready[2];
	char c;

	if (pipe2(ready, O_CLOEXEC))
		return no_start(errno);
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		return no_start(errno);
	if (pid == 0) {
		close(ready[0]);
		setsid();
		exit(end_with(in_foreground(ready[1], body, arg)));
	}
	/* A signal while we wait for the beginning ends the session, too. */
	tracing_process = pid;
	pass_signals_on();
	close(ready[1]);
	ssize_t n;
	while ((n = read(ready[0], &c, 1)) < 0 && errno == EINTR)
		;
	close(ready[0]);
	return n == 1 ? (struct ending){ .status = 0 } : not_begun(ending_of(wait_for(pid)));
}

struct ending supervise(bool background, tracing_fn *body, void *arg, say_fn *tell)
{
	say = tell;
	return background ? in_background(body, arg) : in_foreground(-1, body, arg);
}

void supervise_ready(int ready)
{
	if (ready < 0)
		return;
	let_go_of_standard_files();
	if (write_all(ready, "", 1))
		say_to(say, "cannot tell that tracing has begun: %s", strerror(errno));
	close(ready);
}
