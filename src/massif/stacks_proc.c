/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/stacks.h"

#include "proc/file.h"
#include "proc/maps.h"
#include "proc/stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	taddr at, *start, *end;
};

static int is_in(const struct proc_map *m, void *ctx)
{
	struct search *s = ctx;

	if (s->at < m->start || s->at >= m->end)
		return 0;
	*s->start = m->start;
	*s->end = m->end;
	return 1;
}

static bool proc_mapping(pid_t pid, taddr at, taddr *start, taddr *end)
{
	struct search s = { at, start, end };

	return proc_maps_each(pid, is_in, &s) == 1;
}

static bool proc_start(pid_t pid, taddr *sp)
{
	*sp = start_stack(pid);
	return *sp;
}

/* /proc/PID/syscall: "NUMBER ARGUMENTS... SP PC" in a system call, "-1 SP PC" if blocked elsewhere,
 * or "running". */
static bool proc_pointer(pid_t pid, pid_t tid, taddr *sp)
{
	char name[40], line[512] = "";

	snprintf(name, sizeof name, "task/%d/syscall", (int)tid);
	int fd = proc_open(pid, name, O_RDONLY);
	if (fd < 0)
		return false;
	proc_pread(fd, line, sizeof line);
	close(fd);
	char *last = strrchr(line, ' ');
	if (!last || last == line)
		return false;
	*last = '\0';
	char *before = strrchr(line, ' ');
	*sp = before ? strtoull(before + 1, NULL, 16) : 0;
	return *sp;
}

const struct stack_source proc_stacks = { proc_mapping, proc_start, proc_pointer };
