/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/damage.h"

#include "base/preadall.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The segment ends at @end in the file. If the file has a part of the last page, the kernel fills
 * the rest with zeros. */
static uint64_t beginning_of_last_page(uint64_t end)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (end - 1) / page * page + 1;
}

/* How many bytes a 64-bit ELF file must have by its headers, as far as they are there; 0: it is not
 * one. */
static uint64_t bytes_needed(int fd, uint64_t size)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	ssize_t n = pread_all(fd, &eh, sizeof eh, 0);

	if (n < EI_NIDENT || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	if (n < (ssize_t)sizeof eh)
		return sizeof eh;
	uint64_t needed = sum(eh.e_phoff, eh.e_phnum * sizeof ph);

	for (unsigned i = 0; i < eh.e_phnum && needed <= size; i++) {
		if (pread_all(fd, &ph, sizeof ph, (off_t)(eh.e_phoff + i * sizeof ph)) != sizeof ph)
			break;
		if (ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		uint64_t end = beginning_of_last_page(sum(ph.p_offset, ph.p_filesz));

		needed = end > needed ? end : needed;
	}
	return needed;
}

bool program_damaged(const char *path, struct error *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool damaged = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		       bytes_needed(fd, (uint64_t)st.st_size) > (uint64_t)st.st_size;

	if (fd >= 0)
		close(fd);
	if (damaged)
		error_set(why, 0, "it is damaged: it has %jd bytes, less than its headers tell of",
			  (intmax_t)st.st_size);
	return damaged;
}

/* ---- what execve came to ---- */

/* @what: the reason as far as it is known without reading the file */
static int say_why(const char *path, bool look, int err, const char *what, struct error *e)
{
	struct error damage = {""};
	const bool damaged = look && program_damaged(path, &damage);

	return error_set(e, err, "cannot run %s: %s%s%s", path, what, damaged ? ": " : "",
			 damage.text);
}

int launch_ended(const char *path, int wstatus, struct error *e)
{
	const int sig = WIFSIGNALED(wstatus) ? WTERMSIG(wstatus) : 0;
	struct error what;

	if (sig)
		error_set(&what, 0, "it was killed before it began, by signal %d (%s)", sig,
			  strsignal(sig));
	else
		error_set(&what, 0, "it ended before it began");
	return say_why(path, sig, -ECHILD, what.text, e);
}

int launch_refused(const char *path, int err, struct error *e)
{
	return say_why(path, err == ENOEXEC, -err, strerror(err), e);
}
