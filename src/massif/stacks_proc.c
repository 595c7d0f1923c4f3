/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/stacks.h"

#include "proc/stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_proc(pid_t pid, pid_t tid, const char *name)
{
	char path[80];

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	return fopen(path, "re");
}

static bool proc_mapping(pid_t pid, taddr at, taddr *start, taddr *end)
{
	FILE *f = open_proc(pid, pid, "maps");
	unsigned long long from, to;
	bool found = false;
	char *line = NULL;
	size_t cap = 0;

	while (f && !found && getline(&line, &cap, f) > 0) {
		found = sscanf(line, "%llx-%llx", &from, &to) == 2 && at >= from && at < to;
		if (found) {
			*start = from;
			*end = to;
		}
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool proc_start(pid_t pid, taddr *sp)
{
	*sp = start_stack(pid);
	return *sp;
}

/* "NUMBER ARGUMENTS... SP PC" in a system call, "-1 SP PC" when stopped elsewhere, or "running". */
static bool proc_pointer(pid_t pid, pid_t tid, taddr *sp)
{
	FILE *f = open_proc(pid, tid, "syscall");
	char line[512] = "";
	size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;

	if (f)
		fclose(f);
	line[n] = '\0';
	char *last = strrchr(line, ' ');
	if (!last || last == line)
		return false;
	*last = '\0';
	char *before = strrchr(line, ' ');
	*sp = before ? strtoull(before + 1, NULL, 16) : 0;
	return *sp;
}

const struct stack_source proc_stacks = { proc_mapping, proc_start, proc_pointer };
