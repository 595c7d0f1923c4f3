/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/program.h"

#include "arch/arch.h"
#include "base/texts.h"
#include "cli/cli.h"
#include "proc/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- is it a program for us ---- */

static const char *unsupported_file(int fd)
{
	static char why[128];
	Elf64_Ehdr eh;

	if (pread(fd, &eh, sizeof eh, 0) < (ssize_t)EI_NIDENT + 4 || memcmp(eh.e_ident, ELFMAG, SELFMAG))
		return NULL; /* a script, perhaps: the kernel knows */
	snprintf(why, sizeof why, "it is not a 64-bit %s program, and those are all mprof can profile",
		 arch_name);
	/* e_machine stands in the same place in 32- and 64-bit files. */
	return eh.e_ident[EI_CLASS] == ELFCLASS64 && eh.e_machine == arch_elf_machine ? NULL : why;
}

static const char *unsupported_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return NULL; /* may be run and not be read: execve will tell */
	const char *why = unsupported_file(fd);
	close(fd);
	return why;
}

const char *program_unsupported(pid_t pid)
{
	char path[PROC_PATH];

	return unsupported_path(proc_path(path, pid, "exe"));
}

/* ---- finding it ---- */

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
	const char *why = unsupported_path(path);
	if (!why)
		return path;
	*status = STATUS_CANNOT_RUN;
	error_set(e, -ENOEXEC, "cannot run %s: %s", name, why);
	free(path);
	return NULL;
}

/* ---- its arguments ---- */

char **program_arguments(pid_t pid)
{
	size_t len, n = 0;
	char *text = proc_read(pid, "cmdline", &len);

	for (size_t i = 0; text && i < len; i++)
		n += !text[i];
	char **args = calloc(n + 1, sizeof *args);
	size_t at = 0;
	for (size_t i = 0; args && i < n; i++) {
		args[i] = strdup(text + at);
		at += strlen(text + at) + 1;
		if (args[i])
			continue;
		/* Some of them would be another command. */
		texts_free(args);
		args = NULL;
	}
	free(text);
	return args;
}
