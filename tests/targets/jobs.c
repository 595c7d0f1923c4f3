/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A parent that works like a shell: "stop" stops its child, which allocates, and "cont" continues
 * it; waitpid must report each once. The child's pid is in the line "child PID". While the child is
 * stopped it must not do anything.
 */
#include "live.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { SIZE = 2719, THREADS = 3 };

static atomic_ulong *requests;
static pid_t child;
static int stops, conts;

static void *work(void *arg)
{
	for (;;) {
		free(fill(malloc(SIZE), SIZE, 1));
		++*requests;
	}
	return arg;
}

static void be_child(void)
{
	/* As a shell's jobs are: SIGTSTP stops nobody in a group without a parent in its
	 * session. */
	MUST(!setpgid(0, 0));
	for (int i = 0; i < THREADS; i++) {
		pthread_t t;

		MUST(!pthread_create(&t, NULL, work, NULL));
	}
	pause();
	_exit(1);
}

/* Nothing more may be told than what we have waited for. */
static void nothing_else(void)
{
	int status;

	if (waitpid(child, &status, WUNTRACED | WCONTINUED | WNOHANG))
		say("BROKEN: told twice: %x\n", (unsigned)status);
}

static void report(void)
{
	say("report %lu requests, %d stops, %d conts\n", (unsigned long)*requests, stops, conts);
}

static void other(const char *word)
{
	int status, sig = !strcmp(word, "stop")	  ? SIGSTOP
			  : !strcmp(word, "tstp") ? SIGTSTP
						  : SIGCONT;

	MUST(!kill(child, sig));
	MUST(waitpid(child, &status, WUNTRACED | WCONTINUED) == child);
	if (sig == SIGCONT) {
		MUST(WIFCONTINUED(status));
		conts++;
	} else {
		MUST(WIFSTOPPED(status) && WSTOPSIG(status) == sig);
		stops++;
	}
	nothing_else();
	say("%s %d\n", sig == SIGCONT ? "continued" : "stopped", stops + conts);
}

int main(void)
{
	int status;

	requests = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	MUST(requests != MAP_FAILED);
	child = fork();
	MUST(child >= 0);
	if (!child)
		be_child();
	while (!*requests)
		usleep(500);
	say("child %d\n", (int)child);
	live_serve(report, other);
	nothing_else();
	kill(child, SIGKILL);
	MUST(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	     WTERMSIG(status) == SIGKILL);
	say("checksum right\n");
	return 0;
}
