/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A parent and, from "fork" on, its children: all of them allocate, fill, check and free blocks
 * without end until the parent quits. "report N rounds by the parent, N by its children, N wrong":
 * the children's rounds are those of the child that has done the fewest.
 */
#include "live.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { MAX_CHILDREN = 8, SIZE = 3000 };

struct shared {
	atomic_ulong rounds[MAX_CHILDREN + 1], wrong; /* the first is the parent's */
	atomic_bool over;
};

static struct shared *shared;
static pid_t children[MAX_CHILDREN];
static int n_children;

static void round_of(int who)
{
	unsigned char with = (unsigned char)(shared->rounds[who] + (unsigned)who);
	unsigned char *p = malloc(SIZE / 2);

	memset(p, with, SIZE / 2);
	p = realloc(p, SIZE);
	for (size_t i = 0; i < SIZE / 2; i++)
		shared->wrong += p[i] != with;
	free(p);
	shared->rounds[who]++;
}

static void *work(void *arg)
{
	while (!shared->over)
		round_of(0);
	return arg;
}

static void fork_one(const char *word)
{
	if (strcmp(word, "fork") != 0 || n_children == MAX_CHILDREN)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!shared->over)
			round_of(n_children + 1);
		_exit(0);
	}
	MUST(pid > 0);
	children[n_children++] = pid;
	say("forked %d\n", (int)pid);
}

static void report(void)
{
	unsigned long slowest = n_children ? ULONG_MAX : 0;

	for (int i = 1; i <= n_children; i++)
		if (shared->rounds[i] < slowest)
			slowest = shared->rounds[i];
	say("report %lu rounds by the parent, %lu by its children, %lu wrong\n", shared->rounds[0],
	    slowest, shared->wrong);
}

int main(void)
{
	pthread_t thread;
	bool right = true;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	MUST(shared != MAP_FAILED);
	MUST(!pthread_create(&thread, NULL, work, NULL));
	live_serve(report, fork_one);
	shared->over = true;
	MUST(!pthread_join(thread, NULL));
	for (int i = 0; i < n_children; i++) {
		int wstatus;

		MUST(waitpid(children[i], &wstatus, 0) == children[i]);
		right = right && WIFEXITED(wstatus) && !WEXITSTATUS(wstatus);
	}
	right = right && !shared->wrong;
	say("checksum %s\n", right ? "right" : "wrong");
	return right ? 0 : 98;
}
