/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limit SECONDS ENDED COMMAND [ARG...]: runs the command with a deadline. How it ended is written
 * to the file ENDED, as "status N" or "signal N", and is our own status, 128 + N for a signal, so
 * that no shell prints a message about it. A command that is too slow is killed: "deadline passed",
 * status 124. The command gets our signal dispositions and process group unchanged.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t late;
static pid_t pid;

static void deadline(int sig)
{
	(void)sig;
	late = 1;
	kill(pid, SIGKILL);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = deadline };
	char line[64];
	int status;

	if (argc < 4)
		return 125;
	pid = fork();
	if (pid < 0)
		return 125;
	if (!pid) {
		execvp(argv[3], argv + 3);
		_exit(125);
	}
	sigaction(SIGALRM, &sa, NULL);
	alarm((unsigned)atoi(argv[1]));
	while (waitpid(pid, &status, 0) < 0)
		;
	alarm(0);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (late) {
		snprintf(line, sizeof line, "deadline passed\n");
		code = 124;
	} else if (WIFEXITED(status)) {
		snprintf(line, sizeof line, "status %d\n", code);
	} else {
		snprintf(line, sizeof line, "signal %d\n", code - 128);
	}
	int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		return 125;
	return code;
}
