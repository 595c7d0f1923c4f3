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
