/* SPDX-License-Identifier: BSD-2-Clause */
/* copy: standard input to standard output, through buffers on the heap. */
#include "target.h"

enum { SIZE = 4507 };

int main(void)
{
	long times = 0;

	for (;;) {
		char *p = malloc(SIZE);
		MUST(p);
		times++;
		ssize_t n = read(STDIN_FILENO, p, SIZE);

		if (n > 0)
			target_write(STDOUT_FILENO, p, (size_t)n);
		free(p);
		if (n <= 0)
			break;
	}
	bin(SIZE, times, times);
	return 0;
}
