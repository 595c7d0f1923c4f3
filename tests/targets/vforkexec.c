/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At "go" the leader sleeps in vfork(2), and another thread executes the program again: the leader
 * never returns, and its child, which ends only afterwards, is not reported to anybody. A thread
 * allocates and frees all the time, and "report" prints how often.
 */
#include "live.h"

enum { SIZE = 3343 };

static atomic_bool over;
static atomic_ulong pairs;
static int asleep[2], execed[2];
static char *const again[] = { (char *)"vforkexec", NULL };

static void *work(void *arg)
{
	while (!over) {
		free(fill(malloc(SIZE), SIZE, 1));
		pairs++;
	}
	return arg;
}

static void *exec_meanwhile(void *arg)
{
	char c;

	(void)arg;
	MUST(read(asleep[0], &c, 1) == 1);
	execv("/proc/self/exe", again);
	_exit(95);
}

static void go(const char *word)
{
	pthread_t t;
	char c;

	if (strcmp(word, "go") != 0)
		return;
	MUST(!pipe2(asleep, O_CLOEXEC) && !pipe2(execed, O_CLOEXEC));
	MUST(!pthread_create(&t, NULL, exec_meanwhile, NULL));
	if (!vfork()) {
		close(execed[1]);
		target_write(asleep[1], "x", 1);
		_exit(read(execed[0], &c, 1) == 0 ? 0 : 94);
	}
	MUST(!"the first thread has come back");
}

static void report(void)
{
	say("report %lu pairs\n", (unsigned long)pairs);
}

int main(void)
{
	pthread_t t;

	MUST(!pthread_create(&t, NULL, work, NULL));
	live_serve(report, go);
	over = true;
	MUST(!pthread_join(t, NULL));
	say("vforkexec: done\n");
	return 0;
}
