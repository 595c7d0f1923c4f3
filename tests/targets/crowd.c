/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd N [exec|spawn]: N children that exist at the same time, made by fork or posix_spawn,
 * each of which, or the program it executes, then allocates and frees. Prints how many of them
 * ended well.
 */
#include "target.h"

#include <spawn.h>
#include <sys/wait.h>

enum { PAIRS = 100, SIZE = 777 };

static int member(void)
{
	for (int i = 0; i < PAIRS; i++) {
		void *p = malloc(SIZE);

		if (!p)
			return 1;
		free(p);
	}
	return 0;
}

/* Waits until all are there. */
static int child(int wait_fd, char *program)
{
	char c;

	free(malloc(SIZE));
	if (read(wait_fd, &c, 1) != 0)
		return 2;
	if (!program)
		return member();
	execl(program, program, "member", NULL);
	return 3;
}

/* Standard input is the gate. */
static pid_t spawn(int wait_fd, char *program)
{
	char *args[] = { program, "waiting", NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, wait_fd, 0);
	return posix_spawn(&pid, program, &files, NULL, args, environ) ? -1 : pid;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "member"))
		return member();
	if (argc > 1 && !strcmp(argv[1], "waiting"))
		return child(0, NULL);
	int n = argc > 1 ? atoi(argv[1]) : 1, born = 0, well = 0, gate[2];

	if (pipe2(gate, O_CLOEXEC))
		return 96;
	free(malloc(SIZE));
	bool spawns = argc > 2 && !strcmp(argv[2], "spawn");
	for (int i = 0; i < n; i++) {
		pid_t pid = spawns ? spawn(gate[0], argv[0]) : fork();

		if (pid == 0) {
			close(gate[1]);
			_exit(child(gate[0],
				    argc > 2 && !strcmp(argv[2], "exec") ? argv[0] : NULL));
		}
		born += pid > 0;
	}
	close(gate[1]);
	for (int i = 0; i < born; i++) {
		int wstatus;

		if (wait(&wstatus) < 0)
			return 97;
		if (wstatus)
			say("a child ended with %#x\n", (unsigned)wstatus);
		well += !wstatus;
	}
	say("%d of %d ended well\n", well, born);
	return well == n ? 0 : 98;
}
