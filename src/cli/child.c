/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int redirect(posix_spawn_file_actions_t *actions, int out, bool quiet)
{
	int err = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);

	return !err && quiet ? posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null",
								O_WRONLY, 0)
			     : err;
}

/* Start it with its output in a pipe. Its pid, or -errno. */
static pid_t begin(char *const argv[], bool quiet, int *out)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	int err = posix_spawn_file_actions_init(&actions);
	if (!err) {
		err = redirect(&actions, ends[1], quiet);
		if (!err)
			err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	*out = ends[0];
	if (!err)
		return pid;
	close(ends[0]);
	return -err;
}

static int read_lines(int fd, int (*each)(void *ctx, char *line), void *ctx)
{
	FILE *in = fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;
	int err = in ? 0 : -errno;

	while (!err && getline(&line, &cap, in) >= 0)
		err = each(ctx, line);
	free(line);
	if (in)
		fclose(in);
	else
		close(fd);
	return err;
}

int child_lines(char *const argv[], bool quiet, int (*line)(void *ctx, char *line), void *ctx)
{
	int out = -1, status;
	pid_t pid = begin(argv, quiet, &out);

	if (pid < 0)
		return pid;
	int err = read_lines(out, line, ctx);

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return err;
}
