/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/screen.h"

#include "cli/program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* the pager's pid; 0: none */
static volatile pid_t pager;

bool screen_shows(FILE *out)
{
	return isatty(fileno(out)) || (pager && out == stdout);
}

/* ---- how wide, and in which colours ---- */

/* From the environment or the terminal; otherwise 80. */
static size_t columns_of_terminal(void)
{
	const char *variable = getenv("COLUMNS");
	long n = variable ? strtol(variable, NULL, 10) : 0;
	struct winsize size;

	if (n > 0 && n < 10000)
		return (size_t)n;
	/* Standard output may be the pager's pipe. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
			return size.ws_col;
	return 80;
}

static size_t columns_known; /* determined before the pager was started; 0: no pager */

void screen_fit(struct report_options *r, const struct options *o, FILE *out)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	bool shown = screen_shows(out), dumb = !term || !strcmp(term, "dumb");

	r->columns = !shown || o->report.names_full ? 0
		     : columns_known	     ? columns_known
					     : columns_of_terminal();
	r->colour = o->colour == COLOUR_ALWAYS ||
		    (o->colour == COLOUR_AUTO && shown && !dumb && !(none && *none));
}

/* ---- the pager ---- */

/* The first variable that is set decides, even to use none; NULL: no pager. */
static const char *pager_command(void)
{
	static const char *const variables[] = {"MPROF_PAGER", "PAGER"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *command = getenv(variables[i]);

		if (command)
			return *command && strcmp(command, "cat") ? command : NULL;
	}
	struct advice why;
	int status;
	char *path = program_find("less", &status, &why);

	free(path);
	return path ? "less" : NULL;
}

/* Its standard input is our output. */
static _Noreturn void be_pager(const char *command, const int pipe_fds[2])
{
	dup2(pipe_fds[0], STDIN_FILENO);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	/* Keep colours; quit at once if all fits on a screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void await_pager(void)
{
	/* NOLINTNEXTLINE(bugprone-signal-handler,cert-sig30-c): errno is per thread */
	while (pager && waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

/* If the user quits the pager early, or a key sends a signal: wait until the pager has restored the
 * terminal. */
static void end_after_pager(int sig)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	await_pager();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void begin(const char *command)
{
	static const int ending[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE};
	int fds[2];

	if (pipe2(fds, 0))
		return;
	fflush(NULL);
	pid_t pid = fork();

	if (!pid)
		be_pager(command, fds);
	close(fds[0]);
	if (pid > 0) {
		columns_known = columns_of_terminal();
		pager = pid;
		for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
			signal(ending[i], end_after_pager);
		dup2(fds[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
	}
	close(fds[1]);
}

void screen_begin_pager(const struct options *o)
{
	const char *command;

	if (o->no_pager || o->output || o->format == FORMAT_HTML || !isatty(STDOUT_FILENO))
		return;
	command = pager_command();
	if (command)
		begin(command);
}

void screen_end_pager(void)
{
	if (!pager)
		return;
	fflush(NULL);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	await_pager();
}
