/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/libraries.h"

#include "base/array.h"
#include "base/preadall.h"
#include "base/regular.h"
#include "cli/child.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time for a dynamic linker to list the libraries, maybe from a slow disk. */
enum { LIST_MS = 60000 };

/* Add a file. 0, also if it is there already or cannot be opened (unless @must); or -errno. */
static int add_file(struct module_files *files, const char *path, bool must)
{
	int fd = regular_open(AT_FDCWD, path, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		int err = fd >= 0 ? -errno : fd == -ENOTSUP ? -EINVAL : fd;

		if (fd >= 0)
			close(fd);
		return must ? err : 0;
	}
	for (size_t i = 0; i < files->n; i++) {
		if (files->files[i].dev == st.st_dev && files->files[i].ino == st.st_ino) {
			close(fd);
			return 0;
		}
	}
	char *copy = strdup(path);
	if (!copy || ARRAY_RESERVE(&files->files, &files->cap, files->n)) {
		free(copy);
		close(fd);
		return -ENOMEM;
	}
	files->files[files->n++] = (struct module_file){
		.dev = st.st_dev, .ino = st.st_ino, .path = copy, .fd = fd,
		.written = st.st_mtim, .size = st.st_size };
	return 0;
}

void libraries_interpreter(int fd, char interp[PATH_MAX])
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	interp[0] = '\0';
	if (pread_all(fd, &eh, sizeof eh, 0) != sizeof eh || eh.e_phentsize != sizeof ph)
		return;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (pread_all(fd, &ph, sizeof ph, (off_t)(eh.e_phoff + i * sizeof ph)) != sizeof ph)
			return;
		if (ph.p_type != PT_INTERP || ph.p_filesz >= PATH_MAX)
			continue;
		ssize_t n = pread_all(fd, interp, ph.p_filesz, (off_t)ph.p_offset);
		interp[n > 0 ? n : 0] = '\0';
		return;
	}
}

/* "	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)", or without the arrow */
struct listing {
	struct module_files *files;
	struct error last; /* the last line that does not name a library */
};

static int add_line(void *ctx, char *line)
{
	struct listing *l = ctx;
	char *arrow = strstr(line, "=> "), *path = arrow ? arrow + 3 : line + strspn(line, " \t");
	char *end = strstr(path, " (0x");

	if (!end) {
		line[strcspn(line, "\n")] = '\0';
		error_set(&l->last, 0, "%s", line);
		return 0;
	}
	if (*path != '/')
		return 0;
	*end = '\0';
	return add_file(l->files, path, false);
}

int libraries_of(const char *path, struct module_files *files, struct error *e)
{
	char interp[PATH_MAX], name[PATH_MAX];
	char list[] = "--list";
	int err = add_file(files, path, true);

	if (err)
		return error_set(e, err, "cannot read %s: %s", path, strerror(-err));
	libraries_interpreter(files->files[0].fd, interp);
	if (!interp[0])
		return 0;
	err = add_file(files, interp, false);
	snprintf(name, sizeof name, "%s", path);
	char *argv[] = { interp, list, name, NULL };
	struct listing l = { files, { "" } };
	const struct child ask = { argv, CHILD_ERRORS_READ, LIST_MS, add_line, &l };
	int wstatus = 0;

	err = err ? err : child_lines(&ask, &wstatus);
	if (err)
		return error_set(e, err, "cannot ask %s for the libraries of %s: %s", interp, path,
				 strerror(-err));
	/* The same error as if the program were run. */
	if (wstatus && *l.last.text)
		return error_set(e, -ELIBBAD, "its dynamic linker cannot load it: %s", l.last.text);
	if (WIFSIGNALED(wstatus))
		return error_set(e, -ENOEXEC, "its dynamic linker is killed by it: signal %d (%s)",
				 WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
	return wstatus ? error_set(e, -ENOEXEC, "its dynamic linker ends without a word, with "
						"status %d", WEXITSTATUS(wstatus))
		       : 0;
}
