/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/stat.h"

#include "proc/file.h"

#include <fcntl.h>
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

uint64_t start_stack(pid_t pid)
{
	return procstat_number(pid, PROCSTAT_STARTSTACK);
}
