/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children of all kinds, at "fork", "vfork", "spawn", "grandchild" and "thread" (a thread that is
 * not the leader forks while others allocate). Each prints how it ended; the truth is in $BINS:
 * "child PID SIZE ALLOCS FREES", and "child-inherited PID N" for the frees of inherited blocks.
 * With $TEXTDIFF each child runs that program on itself, and checks whether it is traced.
 */
#include "live.h"

#include <spawn.h>
#include <sys/wait.h>

enum { PARENT = 5401, CHILD = 5407, BLOCKS = 20, NOISE = 577, THREADS = 3 };

static char *mine[BLOCKS];
static char *args[] = { (char *)"family", (char *)"child", NULL };
static atomic_bool noisy, noise_over;
static long made;

/* A child that is not followed has no trap in it and no tracer. */
static void must_be_clean(void)
{
	char command[512];

	if (!getenv("TEXTDIFF"))
		return;
	snprintf(command, sizeof command, "%s %d >&2 && grep -q '^TracerPid:.0$' /proc/%d/status",
		 getenv("TEXTDIFF"), (int)getpid(), (int)getpid());
	MUST(!system(command));
}

static void child_work(int inherited)
{
	void *p[9];

	target_is_child = true;
	for (int i = 0; i < inherited; i++) {
		check(mine[i], PARENT, i);
		free(mine[i]);
	}
	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(malloc(CHILD), CHILD, 1);
	for (int i = 0; i < 4; i++)
		free(p[i]);
	bin(CHILD, LENGTH(p), 4);
	must_be_clean();
	truth("child-inherited %d %d\n", (int)getpid(), inherited);
}

static void wait_for(pid_t pid)
{
	int status;

	MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

static void by_fork(int inherited, bool grandchild)
{
	pid_t pid = fork();

	MUST(pid >= 0);
	if (!pid) {
		child_work(inherited);
		if (grandchild) {
			pid = fork();
			if (!pid) {
				child_work(0);
				_exit(5);
			}
			wait_for(pid);
		}
		_exit(5);
	}
	wait_for(pid);
}

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execv("/proc/self/exe", args);
		_exit(127);
	}
	wait_for(pid);
}

/* A vfork child that allocates in its parent's memory before it ends. */
static void by_vfork_alone(void)
{
	void *volatile p = NULL;
	pid_t pid = vfork();

	if (!pid) {
		p = fill(malloc(PARENT), PARENT, 1);
		_exit(5);
	}
	wait_for(pid);
	check(p, PARENT, 1);
	free(p);
	made++;
}

static void by_spawn(void)
{
	pid_t pid;

	MUST(!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ));
	wait_for(pid);
}

static void *noise(void *arg)
{
	while (!noise_over) {
		free(fill(malloc(NOISE), NOISE, 1));
		noisy = true;
	}
	return arg;
}

static void *forking(void *arg)
{
	by_fork(3, false);
	return arg;
}

static void by_thread(void)
{
	pthread_t t[THREADS], f;

	noise_over = noisy = false;
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, noise, NULL));
	while (!noisy)
		sched_yield();
	MUST(!pthread_create(&f, NULL, forking, NULL) && !pthread_join(f, NULL));
	noise_over = true;
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(t[i], NULL));
}

static void report(void)
{
	say("report %ld\n", made);
}

static void other(const char *word)
{
	if (!strcmp(word, "blocks")) {
		for (int i = 0; i < BLOCKS; i++)
			mine[i] = fill(malloc(PARENT), PARENT, i);
		made += BLOCKS;
	} else if (!strcmp(word, "fork")) {
		by_fork(6, false);
	} else if (!strcmp(word, "grandchild")) {
		by_fork(2, true);
	} else if (!strcmp(word, "vfork")) {
		by_vfork();
	} else if (!strcmp(word, "vfork-alone")) {
		by_vfork_alone();
	} else if (!strcmp(word, "spawn")) {
		by_spawn();
	} else if (!strcmp(word, "thread")) {
		by_thread();
	} else if (!strcmp(word, "truth")) {
		bin(PARENT, made, made - BLOCKS);
		bin(CHILD, 0, 0);
	}
	say("did %s\n", word);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		child_work(0);
		return 5;
	}
	live_serve(report, other);
	say("family: done\n");
	return 0;
}
