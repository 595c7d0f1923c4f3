/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/entry_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* PROC_PID_INIT_INO of linux/proc_ns.h: the kernel's first pid namespace. */
static const ino_t FIRST = 0xEFFFFFFC;

/* "" in the first pid namespace or if the kernel does not tell; otherwise '@' and its number. */
static void namespace(char text[24])
{
	struct stat st;

	text[0] = '\0';
	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST)
		snprintf(text, 24, "@%llx", (unsigned long long)st.st_ino);
}

void entry_name(char *path, size_t size, const char *dir, pid_t pid, const char *what)
{
	char of[24];

	namespace(of);
	snprintf(path, size, "%s/%d%s.%s", dir, (int)pid, of, what);
}

bool entry_name_is(const char *name, const char *what, pid_t *pid)
{
	char path[300], *end;
	long n = strtol(name, &end, 10);

	if (end == name || n <= 0 || n != (pid_t)n)
		return false;
	*pid = (pid_t)n;
	entry_name(path, sizeof path, "", *pid, what);
	return !strcmp(path + 1, name);
}
