/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser.h"

#include "base/reap.h"
#include "base/text.h"
#include "cli/cli.h"
#include "control/control_dir.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The most words of a browser's command. */
enum { WORDS_MAX = 32 };

/* ---- a page without a name ---- */

/* The value of a variable; NULL: not set, or empty. */
static const char *set(const char *variable)
{
	const char *v = getenv(variable);

	return v && *v ? v : NULL;
}

/* The folder is readable for the user only: what a program requests is private. In the directory
 * of another user, which su may keep in the environment, that one could put a link in its place. */
char *browser_new_page(void)
{
	const char *runtime = set("XDG_RUNTIME_DIR"), *temporary = set("TMPDIR");
	bool trusted = runtime && control_dir_is_ours(runtime) && !access(runtime, W_OK);
	const char *above = trusted ? runtime : temporary ? temporary : "/tmp";
	char *dir, *path = NULL;

	if (asprintf(&dir, "%s/mprof-XXXXXX", above) < 0)
		dir = NULL;
	bool made = dir && mkdtemp(dir);
	int err = errno;

	if (made && asprintf(&path, "%s/page.html", dir) < 0)
		path = NULL;
	if (dir && !made)
		say("cannot make a folder for the page in %s: %s; name a file by -o", above,
		    strerror(err));
	else if (!path)
		say("cannot write a page: out of memory");
	free(dir);
	return path;
}

void browser_no_page(const char *path)
{
	char *dir = strdup(path);

	if (dir)
		rmdir(dirname(dir));
	free(dir);
}

/* ---- the browser ---- */

/* True if there is an executable of this name, searched as a shell does. */
static bool is_executable(const char *program)
{
	const char *dirs = strchr(program, '/') ? "" : getenv("PATH");
	char path[PATH_MAX];
	struct stat st;

	for (const char *d = dirs ? dirs : "/bin:/usr/bin"; d; d = *d ? d + 1 : NULL) {
		size_t n = strcspn(d, ":");

		snprintf(path, sizeof path, "%.*s%s%s", (int)n, d, n ? "/" : "", program);
		if (!access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode))
			return true;
		d += n;
	}
	return false;
}

/* A copy of @word with @path for its first %s; *had: set if there was one. */
static char *with_page(const char *word, const char *path, bool *had)
{
	const char *at = strstr(word, "%s");
	char *made;

	if (!at)
		return strdup(word);
	*had = true;
	if (asprintf(&made, "%.*s%s%s", (int)(at - word), word, path, at + 2) < 0)
		return NULL;
	return made;
}

/* Run a command and wait for its end. 0, or a status: what failed has been said. */
static int run(char *const words[], const char *path)
{
	int how;

	say("the page is %s", path);
	fflush(NULL);
	pid_t pid = fork();

	if (!pid) {
		execvp(words[0], words);
		_exit(127);
	}
	if (pid < 0) {
		say("cannot start %s: %s", words[0], strerror(errno));
		return STATUS_FAILED;
	}
	reap(pid, &how);
	if (WIFEXITED(how) && !WEXITSTATUS(how))
		return 0;
	say("%s could not show the page", words[0]);
	return STATUS_FAILED;
}

/* Run a browser's command, which is modified. -1: there is no such program. */
static int try(char *command, const char *path)
{
	char *words[WORDS_MAX + 2] = {NULL}, *save = NULL;
	size_t n = 0;
	bool had = false, fine = true;
	int status = -1;

	for (char *w = strtok_r(command, " \t", &save); fine && w && n < WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		fine = (words[n++] = with_page(w, path, &had));
	if (fine && n && !had)
		fine = (words[n++] = strdup(path));
	if (fine && n && is_executable(words[0]))
		status = run(words, path);
	while (n)
		free(words[--n]);
	return status;
}

static int try_all(char *commands, const char *path)
{
	char *save = NULL;
	int status = -1;

	for (char *c = strtok_r(commands, ":", &save); c && status < 0;
	     c = strtok_r(NULL, ":", &save))
		status = try(c, path);
	return status;
}

/* True if the screen is on another machine. */
static bool is_remote(void)
{
	return set("SSH_CONNECTION") && !set("DISPLAY") && !set("WAYLAND_DISPLAY");
}

int browser_show(const char *path)
{
	char others[] = "xdg-open", *real = realpath(path, NULL);
	const char *browser = set("BROWSER");
	char *chosen = browser ? strdup(browser) : NULL;
	const char *page = real ? real : path;
	int status = -1;

	if (!is_remote() && chosen)
		status = try_all(chosen, page);
	if (!is_remote() && status < 0)
		status = try_all(others, page);
	if (status < 0) {
		status = printf("%s\n", page) < 0 || fflush(stdout) ? STATUS_FAILED : 0;
		if (status)
			say("cannot write the path of the page: %s", strerror(errno));
	}
	free(chosen);
	free(real);
	return status;
}
