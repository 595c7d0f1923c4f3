/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool no_nameless; /* as on a file system that has no files without a name */

/* In the place of the C library's. */
int openat(int at, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (no_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, at, path, flags, mode);
}

static char dir[] = "/tmp/mprof-test-XXXXXX";

static int begin(void **state)
{
	(void)state;
	strcpy(dir + sizeof dir - 7, "XXXXXX");
	umask(022);
	no_nameless = false;
	return !mkdtemp(dir) || chdir(dir);
}

static int end(void **state)
{
	(void)state;
	unlink("page");
	unlink("elsewhere");
	return chdir("/") || rmdir(dir);
}

static int print(FILE *out, void *ctx)
{
	return fputs(ctx, out) == EOF;
}

static void replace(void)
{
	struct error e;

	assert_int_equal(replace_stream("page", ".new-", print, (void *)(uintptr_t)"text", &e), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
	return st.st_mode;
}

static void was(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void a_private_file_stays_private(void **state)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0664, 0400 };

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		was("page", modes[i]);
		replace();
		assert_int_equal(mode_of("page"), S_IFREG | modes[i]);
		unlink("page");
	}
}

static void a_new_file_has_the_mode_that_the_user_s_umask_gives(void **state)
{
	(void)state;
	replace();
	assert_int_equal(mode_of("page"), S_IFREG | 0644);
}

static void what_a_link_leads_to_says_nothing_of_the_file_that_takes_its_place(void **state)
{
	(void)state;
	was("elsewhere", 0666);
	assert_int_equal(symlink("elsewhere", "page"), 0);
	replace();
	assert_int_equal(mode_of("page"), S_IFREG | 0644);
}

static void a_file_of_somebody_else_s_gets_no_more_bits_than_it_had(void **state)
{
	(void)state;
	was("page", 0606);
	if (chown("page", 65534, 65534)) {
		print_message("skipped: only root can give a file away\n");
		skip();
	}
	replace();
	assert_int_equal(mode_of("page"), S_IFREG | 0604);
}

/* Names in the folder. */
static unsigned names(void)
{
	DIR *d = opendir(".");
	unsigned n = 0;

	assert_non_null(d);
	for (const struct dirent *e; (e = readdir(d));)
		n += !!strcmp(e->d_name, ".") && !!strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

/* *@ctx: so many names there are while a file is written. */
static int count(FILE *out, void *ctx)
{
	*(unsigned *)ctx = names();
	return fputs("text", out) == EOF;
}

static int fails(FILE *out, void *ctx)
{
	count(out, ctx);
	return -ENOSPC;
}

static void who_is_killed_while_a_file_is_written_leaves_none_of_another_name(void **state)
{
	int fd = open(".", O_TMPFILE | O_RDWR, 0600);
	unsigned n = 9;
	struct error e;

	(void)state;
	if (fd < 0) {
		print_message("skipped: this file system has no files without a name\n");
		skip();
	}
	close(fd);
	was("page", 0600);
	assert_int_equal(replace_stream("page", ".new-", count, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(mode_of("page"), S_IFREG | 0600);
	assert_int_equal(names(), 1);
}

static void a_file_that_cannot_be_without_a_name_has_one_until_it_is_whole(void **state)
{
	unsigned n = 9;
	struct error e;

	(void)state;
	no_nameless = true;
	assert_int_equal(replace_stream("page", ".new-", count, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(mode_of("page"), S_IFREG | 0644);
	assert_int_equal(names(), 1);
}

static void what_could_not_be_written_is_gone(void **state)
{
	unsigned n;
	struct error e;

	(void)state;
	for (int i = 0; i < 2; i++) {
		no_nameless = i;
		assert_int_equal(replace_stream("page", ".new-", fails, &n, &e), -ENOSPC);
		assert_string_equal(e.text, "cannot write page: disk full");
		assert_int_equal(names(), 0);
	}
}

#define in_a_folder(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_folder(a_private_file_stays_private),
		in_a_folder(a_new_file_has_the_mode_that_the_user_s_umask_gives),
		in_a_folder(what_a_link_leads_to_says_nothing_of_the_file_that_takes_its_place),
		in_a_folder(a_file_of_somebody_else_s_gets_no_more_bits_than_it_had),
		in_a_folder(who_is_killed_while_a_file_is_written_leaves_none_of_another_name),
		in_a_folder(a_file_that_cannot_be_without_a_name_has_one_until_it_is_whole),
		in_a_folder(what_could_not_be_written_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
