/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/serve.h"

#include "base/array.h"
#include "cli/commands.h"
#include "cli/massif.h"
#include "cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 250, EMERGENCY_SECONDS = 3 };

/* Set by any signal: something other than a stop wants to be looked at. */
static volatile sig_atomic_t attention;
static volatile sig_atomic_t told_to_end;
static int wake_pipe[2] = { -1, -1 };

int serve_told(void)
{
	return told_to_end;
}

/* The tracer may be about to sleep: what only set a flag would be seen at the next stop. */
static void wake(void)
{
	int saved = errno;

	attention = 1;
	if (write(wake_pipe[1], "", 1) < 0)
		attention = 1; /* full: it is being woken already */
	errno = saved;
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

static void on_sigchld(int sig)
{
	(void)sig; /* only ends the sleep */
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(sig, &sa, NULL);
}

#ifndef __SANITIZE_ADDRESS__
static struct serve *serving_now;

/* An error of our own must not strand the program: let it go first, then die of it. If that fails
 * too, the process that watches over us puts it back in order. */
static void on_internal_error(int sig)
{
	struct serve *v = serving_now;

	signal(sig, SIG_DFL);
	serving_now = NULL;
	/* What went wrong may be what is needed now. Then end, and be seen to have ended. */
	signal(SIGALRM, SIG_DFL);
	alarm(EMERGENCY_SECONDS);
	if (v) {
		tracer_detach_all(v->session->tracer);
		say("internal error (%s): the program has been let go", strsignal(sig));
	}
	raise(sig);
}

static void catch_internal_errors(struct serve *v)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	static char stack[256 << 10];
	stack_t on_it = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction sa = { .sa_handler = on_internal_error, .sa_flags = SA_ONSTACK | SA_NODEFER };

	serving_now = v;
	sigaltstack(&on_it, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &sa, NULL);
}
#else
static void catch_internal_errors(struct serve *v)
{
	(void)v; /* the sanitizer wants to report them itself */
}
#endif

/* Whatever would end us lets the programs go first. */
static void handle_end_signals(void)
{
	static const int signals[] = { SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGPWR,
				       SIGSTKFLT, SIGSYS, SIGTRAP };
	struct sigaction hangup;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		handle(signals[i], on_end_signal);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		handle(sig, on_end_signal);
	handle(SIGXFSZ, SIG_IGN);
	/* Started with nohup, it is not meant for us. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		handle(SIGHUP, on_end_signal);
}

int serve_signals(struct serve *v)
{
	struct sigaction child = { .sa_handler = on_sigchld };
	sigset_t block;

	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigaction(SIGCHLD, &child, NULL);
	handle_end_signals();
	/* The terminal's SIGINT reaches a program we run as well: it decides, we go on. */
	handle(SIGINT, v->end_on_interrupt ? on_end_signal : SIG_IGN);
	handle(SIGQUIT, v->end_on_interrupt ? on_end_signal : SIG_IGN);
	handle(SIGIO, on_attention);
	handle(SIGALRM, on_attention);
	handle(SIGPIPE, SIG_IGN);
	/* Stopped ourselves, we could not pass the terminal's stop on to the program. */
	handle(SIGTSTP, SIG_IGN);
	handle(SIGTTIN, SIG_IGN);
	handle(SIGTTOU, SIG_IGN);
	catch_internal_errors(v);
	return 0;
}

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- processors ---- */

static int last_cpu_of(pid_t pid)
{
	char path[64], line[1024];
	int cpu = -1;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	/* The 39th field; 37 come behind the name, which may hold anything. */
	if (fgets(line, sizeof line, f)) {
		char *s = strrchr(line, ')');

		for (int i = 0; s && i < 37; i++)
			s = strchr(s + 1, ' ');
		cpu = s ? atoi(s + 1) : -1;
	}
	fclose(f);
	return cpu;
}

int share_one_cpu(pid_t pid, struct error *e)
{
	int cpu = pid ? last_cpu_of(pid) : sched_getcpu();
	char path[64];
	cpu_set_t set;
	int err = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		err = -errno;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = pid ? opendir(path) : NULL;
	for (struct dirent *entry; d && !err && (entry = readdir(d));) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && sched_setaffinity(tid, sizeof set, &set) && errno != ESRCH)
			err = -errno;
	}
	if (d)
		closedir(d);
	return err ? error_set(e, err, "--wait=pin: cannot set the processor: %s", strerror(-err)) : 0;
}

/* ---- time ---- */

static bool has_status_line(const struct serve *v)
{
	return v->end_on_interrupt && !v->options->background && isatty(STDERR_FILENO);
}

static bool time_is_over(const struct serve *v)
{
	double elapsed = (double)(monotonic_ns() - v->started_ns) / 1e9;

	return v->options->duration > 0 && elapsed >= v->options->duration;
}

static void start_ticking(const struct serve *v)
{
	struct itimerval every = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } };

	if (v->options->duration > 0 || has_status_line(v))
		setitimer(ITIMER_REAL, &every, NULL);
}

static void stop_ticking(const struct serve *v)
{
	struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	if (has_status_line(v))
		fputs("\r\033[K", stderr);
}

static void status_line(struct serve *v)
{
	uint64_t now = monotonic_ns();

	if (!has_status_line(v) || now - v->last_tick_ns < TICK_MS * 1000000ull)
		return;
	struct session_state st = session_state(v->session);
	uint64_t events = st.allocs + st.frees;
	double per_second = (double)(events - v->last_events) * 1e9 / (double)(now - v->last_tick_ns);

	fprintf(stderr, "\rmprof: %.1f s, %" PRIu64 " events, %" PRIu64 " bytes live, %.0f events/s%s\033[K",
		(double)(now - v->started_ns) / 1e9, events, st.live_bytes, per_second,
		v->session->suspended ? ", suspended" : "");
	v->last_events = events;
	v->last_tick_ns = now;
}

/* ---- savers ---- */

/* A copy of ourselves writes; the tracing goes on, and is not harmed if naming what the program's
 * files hold should go wrong. Returns as fork(2). */
static pid_t fork_saver(struct control *control)
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid)
		return pid;
	handle(SIGTERM, SIG_DFL);
	handle(SIGHUP, SIG_DFL);
	control_drop(control);
	return 0;
}

static struct serve *serving; /* the session has no pointer back to what serves it */

static void remember_saver(struct session *s, const struct image *i, pid_t pid)
{
	if (pid < 0)
		say("cannot save the profile of process %d: %s", (int)i->pid, strerror(errno));
	else if (ARRAY_RESERVE(&s->savers, &s->cap_savers, s->n_savers) == 0)
		s->savers[s->n_savers++] = pid;
}

static void start_saver(struct session *s, struct image *i, const char *path, int answer_fd)
{
	pid_t pid = fork_saver(serving->control);

	if (!pid)
		_exit(output_save(s, serving->options, i, path, answer_fd) ? STATUS_FAILED : 0);
	remember_saver(s, i, pid);
}

pid_t serve_fork(struct serve *v)
{
	return fork_saver(v->control);
}

void serve_forked(struct serve *v, const struct image *i, pid_t pid)
{
	remember_saver(v->session, i, pid);
}

/* The last one is written by ourselves: nothing is left to be traced meanwhile. */
static void save_ended(struct session *s, struct image *i)
{
	if (!s->massif || i->massif_written || (!i->over && !tracer_has_tasks(s->tracer)))
		return;
	i->massif_written = true;
	pid_t pid = fork_saver(serving->control);

	if (!pid)
		_exit(massif_image_write(s, i, i->over) ? STATUS_FAILED : 0);
	remember_saver(s, i, pid);
}

static void save_restarting(struct session *s, struct image *i)
{
	if (!s->massif)
		return;
	pid_t pid = fork_saver(serving->control);

	if (!pid)
		_exit(massif_image_write(s, i, true) ? STATUS_FAILED : 0);
	remember_saver(s, i, pid);
	i->massif_nth++;
}

static void save_image(struct session *s, struct image *i)
{
	/* One after the other: the last to finish must be the last to have begun. */
	await_savers(s);
	start_saver(s, i, NULL, -1);
}

void await_savers(struct session *s)
{
	while (s->n_savers) {
		waitpid(s->savers[s->n_savers - 1], NULL, 0);
		s->n_savers--;
	}
}

void serve_save(struct serve *v, const char *path, int answer_fd)
{
	await_savers(v->session);
	for (struct image *i = v->session->images; i; i = i->next)
		if (!i->over && (path ? i->pid == v->session->root : i->watch != NULL))
			start_saver(v->session, i, path, answer_fd);
}

/* ---- the loop ---- */

static void drain(int fd)
{
	char junk[64];

	while (read(fd, junk, sizeof junk) > 0)
		;
}

static int open_wake_fd(const struct serve *v)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN };

	epoll_ctl(fd, EPOLL_CTL_ADD, wake_pipe[0], &ev);
	if (v->control)
		epoll_ctl(fd, EPOLL_CTL_ADD, control_fd(v->control), &ev);
	return fd;
}

static bool is_over(struct serve *v)
{
	return told_to_end || v->n_detach_fds || !tracer_has_tasks(v->session->tracer) ||
	       time_is_over(v);
}

static int loop(struct serve *v)
{
	int wake_fd = open_wake_fd(v), err = 0;

	while (!err) {
		attention = 0;
		drain(wake_pipe[0]);
		if (v->control)
			serve_commands(v);
		status_line(v);
		if (is_over(v))
			break;
		err = tracer_run(v->session->tracer, &attention, wake_fd);
		/* A control socket may be ready without a signal's having come. */
		if (!attention && !tracer_has_tasks(v->session->tracer))
			break;
	}
	close(wake_fd);
	return err;
}

int serve_session(struct serve *v)
{
	struct session *s = v->session;

	serving = v;
	s->save = save_image;
	s->ended = save_ended;
	s->restarts = save_restarting;
	s->autosave = v->options->autosave;
	v->started_ns = v->last_tick_ns = monotonic_ns();
	start_ticking(v);
	int err = loop(v);
	stop_ticking(v);
	if (err)
		say("waiting for the program failed (%s): letting it go", strerror(-err));
	tracer_detach_all(s->tracer);
	await_savers(s);
	if (!s->refused)
		err = output_session(s, v->options);
	if (v->control)
		serve_last_answers(v);
	return err;
}
