/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/supervise.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t tracing_process;

static void pass_on(int sig)
{
	if (tracing_process > 0)
		kill(tracing_process, sig);
}

/* What is sent to us is meant for the one that does the work. */
static void pass_signals_on(void)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2 };
	struct sigaction sa = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction now;

		/* Started with nohup, SIGHUP is not meant for us. */
		if (signals[i] != SIGHUP ||
		    (!sigaction(SIGHUP, NULL, &now) && now.sa_handler != SIG_IGN))
			sigaction(signals[i], &sa, NULL);
	}
}

int end_with(struct ending e)
{
	if (!e.signal)
		return e.status;
	struct rlimit no_core = { 0, 0 };
	sigset_t only;

	/* As the program ended, but without a core dump of our own. */
	setrlimit(RLIMIT_CORE, &no_core);
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

	while (waitpid(pid, &wstatus, 0) < 0 && errno == EINTR)
		;
	return wstatus;
}

__attribute__((noreturn)) static void be_the_tracer(struct guard *g, int ready, tracing_fn *body,
						     void *arg, pid_t parent)
{
	/* Another name than the one people give to killall. */
	prctl(PR_SET_NAME, "mprof-tracer");
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* not SIGHUP, which nohup has ignored */
	if (getppid() != parent || guard_enter(g))
		_exit(STATUS_FAILED);
	struct ending e = body(g, ready, arg);
	fflush(NULL);
	guard_leave(g);
	exit(end_with(e));
}

static struct ending watch_over(struct guard *g, pid_t tracer)
{
	bool unclean = guard_wait(g);

	if (unclean)
		guard_stop_programs(g);
	struct ending e = ending_of(wait_for(tracer));
	if (!unclean)
		return e;
	unsigned n = guard_recover(g);
	say("the tracing process died; %u program%s to be put back in order from outside, and what was "
	    "profiled since the last save is lost", n, n == 1 ? " had" : "s had");
	return (struct ending){ .status = STATUS_FAILED };
}

/* Whoever started us may be waiting for the end of what he reads from us. */
static void let_go_of_standard_files(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

static struct ending in_foreground(int ready, tracing_fn *body, void *arg)
{
	struct guard *g = guard_new();
	pid_t self = getpid();

	if (!g) {
		say("cannot start: %s", strerror(errno));
		return (struct ending){ .status = STATUS_FAILED };
	}
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0) {
		say("cannot start: %s", strerror(errno));
		guard_free(g);
		return (struct ending){ .status = STATUS_FAILED };
	}
	if (pid == 0)
		be_the_tracer(g, ready, body, arg, self);
	tracing_process = pid;
	pass_signals_on();
	if (ready >= 0) {
		close(ready);
		let_go_of_standard_files();
	}
	struct ending e = watch_over(g, pid);
	guard_free(g);
	return e;
}

static struct ending in_background(tracing_fn *body, void *arg)
{
	int ready[2];
	char c;

	if (pipe2(ready, O_CLOEXEC)) {
		say("cannot start: %s", strerror(errno));
		return (struct ending){ .status = STATUS_FAILED };
	}
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0) {
		say("cannot start: %s", strerror(errno));
		return (struct ending){ .status = STATUS_FAILED };
	}
	if (pid == 0) {
		close(ready[0]);
		setsid();
		exit(end_with(in_foreground(ready[1], body, arg)));
	}
	close(ready[1]);
	ssize_t n;
	while ((n = read(ready[0], &c, 1)) < 0 && errno == EINTR)
		;
	close(ready[0]);
	/* It ended before it began: it has said why. */
	return n == 1 ? (struct ending){ .status = 0 } : ending_of(wait_for(pid));
}

struct ending supervise(bool background, tracing_fn *body, void *arg)
{
	return background ? in_background(body, arg) : in_foreground(-1, body, arg);
}

void supervise_ready(int ready)
{
	if (ready < 0)
		return;
	let_go_of_standard_files();
	if (write(ready, "", 1) != 1)
		say("cannot tell that tracing has begun: %s", strerror(errno));
	close(ready);
}
