/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/check.h"

#include "base/overwrite.h"
#include "base/replace.h"
#include "session/filename.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_check_replaced(const char *path, const char *what, say_fn *say)
{
	char *copy = strdup(path);
	struct error e;
	struct stat st;
	int err = 0;

	if (!copy) {
		say_to(say, "cannot write %s %s: out of memory", what, path);
		return -ENOMEM;
	}
	if (replace_check(path, &e)) {
		say_to(say, "%s", e.text);
		free(copy);
		return -EINVAL;
	}
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		err = EISDIR;
	else if (faccessat(AT_FDCWD, dirname(copy), W_OK | X_OK, AT_EACCESS))
		err = errno;
	if (err)
		say_to(say, "cannot write %s %s: %s", what, path, strerror(err));
	free(copy);
	return -err;
}

/* Checked without opening it: the reader of a fifo would see a writer come and go. */
int output_check_file(const char *path, const char *what, say_fn *say)
{
	struct stat st;
	int err = overwrite_check(path, false);

	if (!err && (stat(path, &st) || S_ISDIR(st.st_mode)))
		return output_check_replaced(path, what, say);
	if (!err && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
		err = -errno;
	if (err)
		say_to(say, "cannot write %s %s: %s", what, path, overwrite_why(err));
	return err;
}

static int check_file(const char *pattern, const char *what, say_fn *say)
{
	struct error e;
	char *path = filename_expand(pattern, getpid(), &e);

	if (!path) {
		say_to(say, "%s", e.text);
		return -EINVAL;
	}
	int err = output_check_file(path, what, say);
	free(path);
	return err;
}

/* As replace_file() does: /dev/null stays. */
static int check_page(const char *path, say_fn *say)
{
	return strcmp(path, "/dev/null") ? output_check_replaced(path, "the page", say) : 0;
}

/* Heap profiles are not checked: if one cannot be written when it is due, that is reported, and the
 * program runs on. */
int output_check(const struct output_settings *o, say_fn *say)
{
	struct error e;
	char *data = filename_expand(o->data, getpid(), &e);

	if (!data) {
		say_to(say, "%s", e.text);
		return -EINVAL;
	}
	int err = strcmp(data, "/dev/null") ? output_check_replaced(data, "the data file", say) : 0;
	free(data);
	if (!err && o->html) {
		char *page = filename_expand(o->html, getpid(), &e);

		err = page ? check_page(page, say) : -EINVAL;
		if (!page)
			say_to(say, "%s", e.text);
		free(page);
	}
	if (!err && o->massif.file) {
		char *massif = filename_expand_nth(o->massif.file, getpid(), 1, &e);

		err = massif ? output_check_replaced(massif, "the massif file", say) : -EINVAL;
		if (!massif)
			say_to(say, "%s", e.text);
		free(massif);
	}
	if (!err && o->report)
		err = check_file(o->report, "the report", say);
	if (!err && o->mma.log_file)
		err = check_file(o->mma.log_file, "the log", say);
	if (!err && o->mma.stats_file)
		err = check_file(o->mma.stats_file, "the statistics", say);
	return err;
}
