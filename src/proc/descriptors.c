/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/descriptors.h"

#include "proc/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int proc_find_memfd(pid_t pid, const char *name)
{
	char path[PROC_PATH], wanted[64], link[64];
	DIR *dir = opendir(proc_path(path, pid, "fd"));
	int found = -1;

	snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", name);
	for (const struct dirent *d; dir && found < 0 && (d = readdir(dir));) {
		ssize_t n = readlinkat(dirfd(dir), d->d_name, link, sizeof link);

		if (n == (ssize_t)strlen(wanted) && !memcmp(link, wanted, (size_t)n))
			found = atoi(d->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}
