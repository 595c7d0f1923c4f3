/* SPDX-License-Identifier: BSD-2-Clause */
/* Children by vfork and exec, by posix_spawn and by system(). */
#include "target.h"

#include <spawn.h>
#include <sys/wait.h>

enum { TIMES = 4, PARENT = 5303, CHILD = 5309 };

static int child(const char *status)
{
	void *volatile p;

	target_is_child = true;
	for (int i = 0; i < 3; i++)
		p = fill(malloc(CHILD), CHILD, i);
	free(p);
	bin(CHILD, 3, 1);
	return atoi(status);
}

static void wait_for(pid_t pid, int expected)
{
	int status;

	MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

int main(int argc, char **argv)
{
	char *args[] = { (char *)"spawns", (char *)"child", (char *)"5", NULL };
	pid_t pid;

	if (argc > 2)
		return child(argv[2]);
	for (int i = 0; i < TIMES; i++) {
		void *volatile p = fill(malloc(PARENT), PARENT, i);

		pid = vfork();
		if (!pid) {
			execv("/proc/self/exe", args);
			_exit(127);
		}
		wait_for(pid, 5);
		check(p, PARENT, i);
		free(p);
		p = fill(malloc(PARENT), PARENT, i);
		MUST(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ));
		wait_for(pid, 5);
		MUST(WEXITSTATUS(system("exit 3")) == 3);
	}
	bin(PARENT, 2 * TIMES, TIMES);
	bin(CHILD, 0, 0);
	say("spawns: done\n");
	return 0;
}
