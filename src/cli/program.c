/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/program.h"

#include "attach/supported.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the errno that execve would give. */
static int can_run(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

/* The first in PATH that can be run; *err: why the best candidate cannot. */
static char *search_path(const char *name, int *err)
{
	const char *dirs = getenv("PATH");

	if (!dirs)
		dirs = "/bin:/usr/bin";
	*err = ENOENT;
	for (const char *d = dirs; d; d = *d ? d + 1 : NULL) {
		size_t n = strcspn(d, ":");
		char *path;

		if (asprintf(&path, "%.*s%s%s", (int)n, d, n ? "/" : "", name) < 0)
			return NULL;
		int e = can_run(path);
		if (!e)
			return path;
		if (e != ENOENT && e != ENOTDIR && e != EISDIR)
			*err = e;
		free(path);
		d += n;
	}
	return NULL;
}

char *program_find(const char *name, int *status, struct error *e)
{
	int err = ENOENT;
	char *path = NULL;

	if (strchr(name, '/')) {
		err = can_run(name);
		path = err ? NULL : strdup(name);
		err = err || path ? err : ENOMEM;
	} else if (*name) {
		path = search_path(name, &err);
	}
	*status = err == ENOENT || err == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	if (!path) {
		error_set(e, -err, "cannot run %s: %s", name,
			  err == ENOENT && !strchr(name, '/') ? "no such program in PATH" :
			  err == EISDIR			      ? "it is a directory" :
								strerror(err));
		return NULL;
	}
	const char *why = program_unsupported_file(path);
	if (!why)
		return path;
	*status = STATUS_CANNOT_RUN;
	error_set(e, -ENOEXEC, "cannot run %s: %s", name, why);
	free(path);
	return NULL;
}

