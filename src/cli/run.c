/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/output.h"
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Set by a signal that tells us to end; the pipe wakes the tracer's sleep. */
static volatile sig_atomic_t told_to_end;
static int wake_pipe[2] = { -1, -1 };

static void on_end_signal(int sig)
{
	int saved = errno;

	told_to_end = sig;
	if (write(wake_pipe[1], "", 1) < 0)
		told_to_end = sig; /* full: the tracer is being woken already */
	errno = saved;
}

static void on_sigchld(int sig)
{
	(void)sig; /* only ends the sleep */
}

/* SIGINT and SIGQUIT of the terminal reach the program as well: it decides, we go on. */
static int set_signals(void)
{
	struct sigaction end = { .sa_handler = on_end_signal, .sa_flags = SA_RESTART };
	struct sigaction child = { .sa_handler = on_sigchld };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t block;

	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigaction(SIGCHLD, &child, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	return 0;
}

/* End as the program ended, without a core dump of our own. */
static int end_like(int wstatus)
{
	if (WIFEXITED(wstatus))
		return WEXITSTATUS(wstatus);
	int sig = WTERMSIG(wstatus);
	struct rlimit no_core = { 0, 0 };
	sigset_t only;

	setrlimit(RLIMIT_CORE, &no_core);
	signal(sig, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, sig);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	kill(getpid(), sig);
	return 128 + sig; /* a signal that does not end us */
}

static int trace(struct session *s, const char *path, char **argv)
{
	struct error e;

	pid_t pid = tracer_launch(s->tracer, path, argv, &e);
	if (pid < 0) {
		say("%s", e.text);
		return pid == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	}
	s->root = pid;
	/* Only now: the program is to start with the signals that mprof was started with. */
	int err = set_signals();
	if (!err)
		err = tracer_run(s->tracer, &told_to_end, wake_pipe[0]);
	if (err)
		say("waiting for the program failed (%s): letting it go", strerror(-err));
	if (err || told_to_end)
		tracer_detach_all(s->tracer);
	return 0;
}

static int profile_program(const struct options *o, const char *path, char **argv)
{
	struct session s;

	if (session_init(&s, o->trace_children)) {
		say("cannot start: out of memory");
		return STATUS_FAILED;
	}
	int status = trace(&s, path, argv);
	if (!status && s.refused) {
		say("cannot profile %s: %s", argv[0], s.refused);
		status = STATUS_FAILED;
	} else if (!status) {
		int err = output_session(&s, o);

		if (s.root_ended && !(err && WIFEXITED(s.root_status) && !WEXITSTATUS(s.root_status)))
			status = end_like(s.root_status);
		else if (err)
			status = STATUS_FAILED;
		else if (told_to_end)
			status = 128 + told_to_end;
	}
	session_release(&s);
	return status;
}

int command_run(int argc, char **argv)
{
	struct options o;
	struct error e;
	int first = options_parse(&o, "run", argc, argv, 2), status;

	if (first < 0)
		return STATUS_USAGE;
	if (first >= argc) {
		say("run: which program? Usage: mprof run [options] [--] PROGRAM [ARG...]");
		return STATUS_USAGE;
	}
	char *path = program_find(argv[first], &status, &e);
	if (!path) {
		say("%s", e.text);
		return status;
	}
	status = output_check(&o) ? STATUS_FAILED : profile_program(&o, path, argv + first);
	free(path);
	return status;
}
