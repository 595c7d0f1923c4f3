/* SPDX-License-Identifier: BSD-2-Clause */
/* ends HOW: ends in the way that HOW says. */
#include "target.h"

#include <signal.h>
#include <sys/resource.h>

enum { SIZE = 9001 };

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	struct rlimit no_core = { 0, 0 };
	void *p[7];

	for (size_t i = 0; i < LENGTH(p); i++)
		p[i] = fill(malloc(SIZE), SIZE, (int)i);
	for (size_t i = 0; i < 3; i++)
		free(p[i]);
	bin(SIZE, LENGTH(p), 3);
	say("ends: by %s\n", how);
	setrlimit(RLIMIT_CORE, &no_core);
	if (!strcmp(how, "exit"))
		exit(72);
	if (!strcmp(how, "_exit"))
		_exit(73);
	if (!strcmp(how, "quick_exit"))
		quick_exit(74);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "term"))
		raise(SIGTERM);
	if (!strcmp(how, "trap"))
		raise(SIGTRAP);
	if (!strcmp(how, "int3"))
		__asm__ volatile("int3");
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	return 71;
}
