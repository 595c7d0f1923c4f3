/* SPDX-License-Identifier: BSD-2-Clause */
/* A parent and a child of fork go on with the same blocks, each for itself. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *work(size_t n)
{
	return malloc(n);
}

static void child(char **kept)
{
	for (int i = 10; i < 20; i++)
		free(kept[i]);
	char *p = work(5000);
	p = realloc(p, 23456);
	free(p);
	_exit(0);
}

int main(void)
{
	char *kept[20];

	for (int i = 0; i < 20; i++)
		kept[i] = work(100 * ((size_t)i + 1));
	for (int i = 0; i < 10; i++)
		free(kept[i]);
	pid_t pid = fork();
	if (pid == 0)
		child(kept);
	waitpid(pid, NULL, 0);
	for (int i = 10; i < 20; i++)
		free(kept[i]);
	return 0;
}
