/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a fork takes: FORKS children, one after the other, each of which allocates and frees a block and
 * ends. Prints the microseconds of each, until its parent has waited for it.
 *
 *	forks FORKS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, status;

	if (n < 1) {
		fprintf(stderr, "usage: forks FORKS\n");
		return 2;
	}
	double from = now_us();
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			void *volatile p = malloc(100);

			free(p);
			_exit(!p);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			perror("forks");
			return 1;
		}
	}
	printf("%.2f\n", (now_us() - from) / n);
	return 0;
}
