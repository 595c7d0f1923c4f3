// SPDX-License-Identifier: BSD-2-Clause
// A program of three processes, each of which keeps blocks of a size of its own.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile kept;

static void in_parent(void)
{
	for (int i = 0; i < 10; i++)
		kept = malloc(1000);
}

static void in_child(int n)
{
	for (int i = 0; i < 10 * n; i++)
		kept = malloc(2000);
}

int main(void)
{
	in_parent();
	for (int n = 1; n <= 2; n++) {
		if (fork() == 0) {
			in_child(n);
			return 0;
		}
		wait(NULL);
	}
	return 0;
}
