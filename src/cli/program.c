/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/program.h"

#include "attach/supported.h"
#include "base/preadall.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/libraries.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the errno that execve(2) would return. */
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

/* ---- interpreters ---- */

enum {
	FIRST_LINE = 256, /* the kernel reads no more: BINPRM_BUF_SIZE */
	SCRIPTS_MAX = 5,  /* most scripts that interpret each other */
};

/* The interpreter after "#!" in a script, and the rest, which the kernel passes as one argument.
 * False: it is no script, or cannot be read. */
static bool read_first_line(const char *path, char interp[FIRST_LINE], char rest[FIRST_LINE])
{
	char line[FIRST_LINE + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : pread_all(fd, line, FIRST_LINE, 0);

	if (fd >= 0)
		close(fd);
	if (n < 2 || memcmp(line, "#!", 2) != 0)
		return false;
	char *at = line + 2 + strspn(line + 2, " \t");

	at[strcspn(at, "\n")] = '\0';
	n = (ssize_t)strcspn(at, " \t");
	snprintf(interp, FIRST_LINE, "%.*s", (int)n, at);
	at += n + (ssize_t)strspn(at + n, " \t");
	for (n = (ssize_t)strlen(at); n && strchr(" \t", at[n - 1]);)
		n--;
	snprintf(rest, FIRST_LINE, "%.*s", (int)n, at);
	return *interp;
}

void program_behind_script(const char *path, char file[PATH_MAX])
{
	char interp[FIRST_LINE], rest[FIRST_LINE];

	snprintf(file, PATH_MAX, "%s", path);
	for (int i = 0; i < SCRIPTS_MAX && read_first_line(file, interp, rest); i++)
		snprintf(file, PATH_MAX, "%s", interp);
}

/* The word that env(1) executes, from its only argument, which it splits only with -S. NULL: there
 * is none, or options change which program is found. */
static char *env_program(char *rest)
{
	static const char blanks[] = " \t";
	char *save = NULL, *word;

	if (strncmp(rest, "-S", 2) != 0)
		return *rest && *rest != '-' && !strchr(rest, '=') ? rest : NULL;
	word = strtok_r(rest + 2, blanks, &save);
	while (word && strchr(word, '='))
		word = strtok_r(NULL, blanks, &save);
	return word && *word != '-' ? word : NULL;
}

void program_in_the_end(const char *path, char file[PATH_MAX])
{
	char interp[FIRST_LINE], rest[FIRST_LINE];

	snprintf(file, PATH_MAX, "%s", path);
	for (int i = 0; i < SCRIPTS_MAX && read_first_line(file, interp, rest); i++) {
		char *word = strcmp(path_last(interp), "env") ? NULL : env_program(rest);
		char *found = NULL;
		int err;

		if (word)
			found = strchr(word, '/') ? strdup(word) : search_path(word, &err);
		snprintf(file, PATH_MAX, "%s", found ? found : interp);
		free(found);
	}
}

/* The program's dynamic linker; "": none. */
static void linker_of(const char *path, char interp[PATH_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*interp = '\0';
	if (fd < 0)
		return;
	libraries_interpreter(fd, interp);
	close(fd);
}

/* True if binfmt_misc has entries. */
static bool knows_other_kinds(void)
{
	glob_t g;
	int err = glob("/proc/sys/fs/binfmt_misc/*", GLOB_NOSORT, NULL, &g);
	bool knows = false;

	for (size_t i = 0; !err && i < g.gl_pathc; i++)
		knows |= strcmp(path_last(g.gl_pathv[i]), "register") &&
			 strcmp(path_last(g.gl_pathv[i]), "status");
	if (!err)
		globfree(&g);
	return knows;
}

/* True if it is neither ELF nor a script: a shell would read it, but execve(2) refuses it. A file
 * that cannot be read may be executable all the same. */
static bool is_no_program(const char *file)
{
	char begin[SELFMAG];
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : pread_all(fd, begin, sizeof begin, 0);

	if (fd >= 0)
		close(fd);
	return n >= 0 && (n < SELFMAG || memcmp(begin, ELFMAG, SELFMAG) != 0) &&
	       !knows_other_kinds();
}

/* 0, or the errno that execve(2) would return for its interpreter. */
static int cannot_begin(const char *path, struct advice *a)
{
	char file[PATH_MAX], interp[PATH_MAX];

	program_behind_script(path, file);
	int err = strcmp(file, path) != 0 ? can_run(file) : 0;

	if (err) {
		error_set(&a->why, 0, "its interpreter %s cannot be run: %s", file, strerror(err));
		error_set(&a->remedy, 0, "install that, or correct the first line of the script");
		return err;
	}
	if (program_unsupported_file(file, a))
		return ENOEXEC;
	if (is_no_program(file)) {
		error_set(&a->why, 0, "%s is neither an ELF file nor a script that begins with #!",
			  file);
		error_set(&a->remedy, 0, "name the program that reads it, as in sh %s", file);
		return ENOEXEC;
	}
	linker_of(file, interp);
	err = *interp ? can_run(interp) : 0;
	if (err) {
		error_set(&a->why, 0, "its dynamic linker %s cannot be run: %s", interp,
			  strerror(err));
		error_set(&a->remedy, 0, "install the C library that it was built for");
	}
	return err;
}

static void why_not_run(const char *name, int err, struct advice *a)
{
	if (err == ENOENT && !strchr(name, '/')) {
		error_set(&a->why, 0, "no such program in PATH");
		error_set(&a->remedy, 0, "say where it is, as in ./%s", name);
	} else if (err == EISDIR) {
		error_set(&a->why, 0, "it is a directory");
	} else {
		error_set(&a->why, 0, "%s", strerror(err));
		if (err == EACCES)
			error_set(&a->remedy, 0, "chmod +x makes a file a program, if it is one");
	}
}

static int status_of(int err)
{
	return err == ENOENT || err == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

char *program_find(const char *name, int *status, struct advice *a)
{
	int err = ENOENT;
	char *path = NULL;

	*a = (struct advice){ 0 };
	if (strchr(name, '/')) {
		err = can_run(name);
		path = err ? NULL : strdup(name);
		err = err || path ? err : ENOMEM;
	} else if (*name) {
		path = search_path(name, &err);
	}
	if (!path) {
		*status = status_of(err);
		why_not_run(name, err, a);
		return NULL;
	}
	err = cannot_begin(path, a);
	if (!err)
		return path;
	*status = status_of(err);
	free(path);
	return NULL;
}

char *program_find_or_say(const char *name, int *status)
{
	struct advice a;
	struct error why;
	char *path = program_find(name, status, &a);

	if (path)
		return path;
	advice_sentence(&a, &why);
	say("cannot run %s: %s", name, why.text);
	return NULL;
}
