/* SPDX-License-Identifier: BSD-2-Clause */
/* busy MILLIONS: computes, by turns in itself and in a system call, and allocates nothing. Prints the
 * processor time that it took, in seconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;
	volatile uint64_t x = 1;
	struct timespec t;

	for (long i = 0; i < n * 1000; i++) {
		for (int j = 0; j < 1000; j++)
			x = x * UINT64_C(6364136223846793005) + 1;
		syscall(SYS_getppid);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("%.6f\n", (double)t.tv_sec + (double)t.tv_nsec / 1e9);
	return 0;
}
