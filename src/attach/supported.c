/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/supported.h"

#include "arch/arch.h"
#include "proc/file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *unsupported_file(int fd)
{
	static char why[128];
	Elf64_Ehdr eh;

	if (pread(fd, &eh, sizeof eh, 0) < (ssize_t)EI_NIDENT + 4 ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG))
		return NULL; /* a script, perhaps: the kernel knows */
	snprintf(why, sizeof why, "it is not a 64-bit %s program, and those are all mprof can "
				  "profile",
		 arch_name);
	/* e_machine stands in the same place in 32- and 64-bit files. */
	return eh.e_ident[EI_CLASS] == ELFCLASS64 && eh.e_machine == arch_elf_machine ? NULL : why;
}

const char *program_unsupported_file(const char *path)
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

	return program_unsupported_file(proc_path(path, pid, "exe"));
}
