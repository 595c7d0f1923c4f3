/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/supported.h"

#include "base/preadall.h"
#include "arch/arch.h"
#include "proc/file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Names of common machines; for others the number. */
static const char *machine_name(unsigned machine, char *number, size_t size)
{
	switch (machine) {
	case EM_386:
		return "i386";
	case EM_X86_64:
		return "x86-64";
	case EM_ARM:
		return "ARM";
	case EM_AARCH64:
		return "AArch64";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "PowerPC";
	case EM_S390:
		return "s390";
	default:
		snprintf(number, size, "machine %u", machine);
		return number;
	}
}

bool unsupported_elf(const void *head, size_t len, struct advice *a)
{
	char number[32];
	Elf64_Ehdr eh = {0};

	if (len < EI_NIDENT + 4 || memcmp(head, ELFMAG, SELFMAG) != 0)
		return false; /* a script, perhaps: execve will tell */
	memcpy(&eh, head, len < sizeof eh ? len : sizeof eh);
	/* e_machine stands in the same place in 32- and 64-bit files. */
	if (eh.e_ident[EI_CLASS] == ELFCLASS64 && eh.e_machine == arch_elf_machine)
		return false;
	error_set(&a->why, 0, "it is a %s program for %s, and mprof can profile 64-bit %s programs "
			      "only",
		  eh.e_ident[EI_CLASS] == ELFCLASS64 ? "64-bit" : "32-bit",
		  machine_name(eh.e_machine, number, sizeof number), arch_name);
	error_set(&a->remedy, 0, "profile a build of it for that");
	return true;
}

bool program_unsupported_file(const char *path, struct advice *a)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr eh;

	if (fd < 0)
		return false; /* it may be executable and not readable: execve will tell */
	ssize_t n = pread_all(fd, &eh, sizeof eh, 0);
	close(fd);
	return n > 0 && unsupported_elf(&eh, (size_t)n, a);
}

bool program_unsupported(pid_t pid, struct advice *a)
{
	char path[PROC_PATH];

	return program_unsupported_file(proc_path(path, pid, "exe"), a);
}
