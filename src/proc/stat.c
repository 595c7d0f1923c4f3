/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/stat.h"

#include "proc/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *procstat_field(const char *text, unsigned nth)
{
	const char *s = strrchr(text, ')');

	for (unsigned i = 2; s && i < nth; i++)
		s = strchr(s + 1, ' ');
	return s ? s + 1 : NULL;
}

static bool has_name(const char *text, const char *beginning)
{
	const char *name = strchr(text, '(');

	return name && !strncmp(name + 1, beginning, strlen(beginning));
}

bool procstat_is_worker(const char *text)
{
	enum { IO_WORKER = 0x10, USER_WORKER = 0x4000 };
	const char *field = procstat_field(text, PROCSTAT_FLAGS);
	unsigned long flags = field ? strtoul(field, NULL, 10) : 0;

	return (flags & IO_WORKER && has_name(text, "iou-")) ||
	       (flags & USER_WORKER && has_name(text, "vhost-"));
}

bool procstat_worker(pid_t tid)
{
	char name[32], text[1024] = "";

	/* /proc/TID/stat adds up what all threads of the process have taken. */
	snprintf(name, sizeof name, "task/%d/stat", (int)tid);
	int fd = proc_open(tid, name, O_RDONLY);

	if (fd < 0)
		return false;
	proc_pread(fd, text, sizeof text);
	close(fd);
	return procstat_is_worker(text);
}

uint64_t procstat_number(pid_t pid, unsigned nth)
{
	char text[2048] = "";
	int fd = proc_open(pid, "stat", O_RDONLY);

	if (fd < 0)
		return 0;
	proc_pread(fd, text, sizeof text);
	close(fd);
	const char *at = procstat_field(text, nth);
	return at ? strtoull(at, NULL, 10) : 0;
}

bool procstat_times(int schedstat, uint64_t *ran_ns, uint64_t *waited_ns)
{
	char line[128];

	if (proc_pread(schedstat, line, sizeof line) <= 0)
		return false;
	return sscanf(line, "%" SCNu64 " %" SCNu64, ran_ns, waited_ns) == 2;
}

uint64_t procstat_ran(pid_t tid)
{
	uint64_t ran = 0, waited;
	int fd = proc_open(tid, "schedstat", O_RDONLY);
	bool told = fd >= 0 && procstat_times(fd, &ran, &waited);

	if (fd >= 0)
		close(fd);
	return told ? ran : 0;
}

uint64_t start_stack(pid_t pid)
{
	return procstat_number(pid, PROCSTAT_STARTSTACK);
}
