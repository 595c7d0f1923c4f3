/* SPDX-License-Identifier: BSD-2-Clause */
/* holder PID: traces a process without doing anything to it, until standard input ends. */
#include "target.h"

#include <sys/ptrace.h>

int main(int argc, char **argv)
{
	char c;

	MUST(argc > 1 && !ptrace(PTRACE_SEIZE, atoi(argv[1]), NULL, NULL));
	say("ready %d\n", (int)getpid());
	while (read(STDIN_FILENO, &c, 1) > 0 && c != 'q')
		;
	return 0;
}
