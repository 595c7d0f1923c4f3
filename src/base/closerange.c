/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/closerange.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The kernel lists descriptors by their numbers, so that closing one hides no other. */
static int close_listed(unsigned first, unsigned last)
{
	DIR *d = opendir("/proc/self/fd");

	if (!d)
		return -errno;
	errno = 0;
	for (struct dirent *entry; (entry = readdir(d));) {
		char *end;
		unsigned long fd = strtoul(entry->d_name, &end, 10);

		if (end != entry->d_name && fd >= first && fd <= last && fd != (unsigned)dirfd(d))
			close((int)fd);
		errno = 0;
	}
	int err = -errno;

	closedir(d);
	return err;
}

int closerange(unsigned first, unsigned last)
{
	return close_range(first, last, 0) ? close_listed(first, last) : 0;
}
