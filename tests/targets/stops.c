/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops itself between allocations; a child that has seen it stopped continues it. */
#include "target.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { TIMES = 10, SIZE = 4721 };

static volatile sig_atomic_t continued;

static void handler(int sig)
{
	(void)sig;
	continued++;
}

/* T: stopped; t: stopped, and a tracer knows */
static bool stands_still(pid_t pid)
{
	char name[64], text[512], *state;

	snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		_exit(1);
	text[n] = 0;
	state = strrchr(text, ')');
	return state && (state[2] == 'T' || state[2] == 't');
}

int main(void)
{
	atomic_int *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
				 0);
	struct sigaction sa = { .sa_handler = handler };

	MUST(ready != MAP_FAILED && !sigaction(SIGCONT, &sa, NULL));
	for (int i = 0; i < TIMES; i++) {
		void *p = fill(malloc(SIZE), SIZE, i);
		int status;

		*ready = 0;
		pid_t pid = fork();
		MUST(pid >= 0);
		if (!pid) {
			while (!*ready)
				usleep(500);
			for (int seen = 0; seen < 10; usleep(500))
				seen = stands_still(getppid()) ? seen + 1 : 0;
			_exit(kill(getppid(), SIGCONT) != 0);
		}
		*ready = 1;
		raise(SIGSTOP);
		MUST(continued == i + 1); /* it did stop: nobody else sends SIGCONT */
		MUST(waitpid(pid, &status, 0) == pid && !status);
		check(p, SIZE, i);
		free(p);
	}
	bin(SIZE, TIMES, TIMES);
	say("stops: went on %d times\n", TIMES);
	return 0;
}
