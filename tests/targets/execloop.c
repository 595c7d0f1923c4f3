/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes itself again and again, so that whoever attaches most often meets it in an exec. Ends when
 * there is a file "stop". */
#include "target.h"

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1)
		say("ready %d\n", (int)getpid());
	free(malloc(6029));
	if (access("stop", F_OK) == 0)
		return 0;
	execl("/proc/self/exe", "execloop", "again", (char *)NULL);
	return 95;
}
