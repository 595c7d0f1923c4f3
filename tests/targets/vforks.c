/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At "vfork" a thread sleeps in vfork(2) until "release" lets its child continue; at "vfork-here"
 * the leader does, and the child reads the next command itself: "x", or "e" to execute a program. A
 * child that executes none allocates and frees a block first. At "spawn" another thread spawns
 * children without end. A third allocates and frees all the time, and "report" prints how
 * often, and how many children there have been.
 */
#include "live.h"

#include <spawn.h>
#include <sys/wait.h>

enum { SIZE = 3331, IN_CHILD = 3347 };

static atomic_bool over;
static atomic_ulong pairs, spawned;
static int gate[2];
static char self[] = "vforks", word[] = "child", *args[] = { self, word, NULL };
static pthread_t worker, sleeper, spawner;
static bool spawning;

static void *work(void *arg)
{
	while (!over) {
		free(fill(malloc(SIZE), SIZE, 1));
		pairs++;
		usleep(1000);
	}
	return arg;
}

/* The child: in its parent's memory, until a byte comes from @fd. */
NOINLINE static void be_the_child(int fd)
{
	char c;

	target_write(STDOUT_FILENO, "asleep\n", 7);
	if (read(fd, &c, 1) != 1)
		_exit(7);
	if (c == 'e')
		execve("/proc/self/exe", args, environ);
	else
		free(fill(malloc(IN_CHILD), IN_CHILD, 2));
	_exit(c == 'e' ? 8 : 6);
}

/* @arg: what the child reads from */
static void *sleep_in_vfork(void *arg)
{
	int status;
	pid_t pid = vfork();

	if (!pid)
		be_the_child(*(const int *)arg);
	MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
	MUST(WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == 6));
	say("awake\n");
	return arg;
}

static void *spawn(void *arg)
{
	int status;
	pid_t pid;

	while (!over) {
		MUST(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ));
		MUST(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
		spawned++;
	}
	return arg;
}

static void other(const char *what)
{
	static int input = STDIN_FILENO;

	if (!strcmp(what, "vfork")) {
		MUST(!pthread_create(&sleeper, NULL, sleep_in_vfork, &gate[0]));
	} else if (!strcmp(what, "vfork-here")) {
		sleep_in_vfork(&input);
	} else if (!strcmp(what, "release")) {
		MUST(write(gate[1], "x", 1) == 1 && !pthread_join(sleeper, NULL));
	} else if (!strcmp(what, "spawn")) {
		spawning = true;
		MUST(!pthread_create(&spawner, NULL, spawn, NULL));
	}
}

static void report(void)
{
	say("report %lu pairs %lu spawned\n", (unsigned long)pairs, (unsigned long)spawned);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;
	MUST(!pipe(gate) && !pthread_create(&worker, NULL, work, NULL));
	live_serve(report, other);
	over = true;
	MUST(!pthread_join(worker, NULL) && (!spawning || !pthread_join(spawner, NULL)));
	say("vforks: done\n");
	return 0;
}
