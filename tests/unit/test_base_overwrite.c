/* SPDX-License-Identifier: BSD-2-Clause */
/* Overwriting files in places where somebody else may have put something. */
#include "unit/unit.h"
#include "base/overwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char dir[64];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_overwrite.XXXXXX");
	return !mkdtemp(dir) || chdir(dir) || mkdir("own", 0755) ||
	       mkdir("shared", 0) || chmod("shared", 01777);
}

static int teardown(void **state)
{
	(void)state;
	unlink("own/it");
	unlink("shared/it");
	unlink("precious");
	unlink("new");
	return rmdir("own") || rmdir("shared") || chdir("/") || rmdir(dir);
}

static void make_file(const char *name)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	fputs("precious", f);
	fclose(f);
}

static void assert_size(const char *name, off_t size)
{
	struct stat st;

	assert_return_code(stat(name, &st), errno);
	assert_int_equal(st.st_size, size);
}

static void assert_opens(const char *name)
{
	int fd = overwrite_open(name, false, 0);

	assert_return_code(fd, -fd);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
	assert_size(name, 3);
}

static void assert_refused(const char *name, int err)
{
	assert_int_equal(overwrite_open(name, false, 0), err);
	assert_non_null(strstr(overwrite_why(err), "somebody else"));
}

static void a_file_is_made_or_emptied(void **state)
{
	static const char *const names[] = { "own/it", "shared/it" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_opens(names[i]);
		make_file(names[i]);
		assert_opens(names[i]);
	}
	assert_int_equal(overwrite_open("nowhere/it", false, 0), -ENOENT);
	assert_int_equal(overwrite_open("own", false, 0), -EISDIR);
	assert_string_equal(overwrite_why(-EISDIR), "Is a directory");
}

static void our_own_link_is_followed(void **state)
{
	static const char *const names[] = { "own/it", "shared/it" };

	(void)state;
	make_file("precious");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(symlink("../precious", names[i]), 0);
		assert_opens(names[i]);
		make_file("precious");
		assert_int_equal(overwrite_open(names[i], true, 0), -ELOOP);
		assert_size("precious", 8);
		assert_int_equal(unlink(names[i]), 0);
	}
	assert_int_equal(symlink("../new", "own/it"), 0);
	assert_opens("own/it");
	assert_size("new", 3);
}

static void somebody_else_s_link_is_not(void **state)
{
	static const char *const names[] = { "own/it", "shared/it" };

	(void)state;
	make_file("precious");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(symlink("../precious", names[i]), 0);
		if (lchown(names[i], NOBODY, NOBODY))
			skip();
		assert_refused(names[i], -ELOOP);
		assert_size("precious", 8);
		assert_int_equal(unlink(names[i]), 0);
	}
}

/* In a directory where anybody may remove our files, the link may have been replaced. */
static void no_link_is_where_everybody_rules(void **state)
{
	(void)state;
	make_file("precious");
	assert_int_equal(chmod("shared", 0777), 0);
	assert_int_equal(symlink("../precious", "shared/it"), 0);
	assert_refused("shared/it", -ELOOP);
	assert_size("precious", 8);
}

static void in_a_shared_directory_a_file_is_ours_and_has_one_name(void **state)
{
	(void)state;
	make_file("precious");
	assert_int_equal(link("precious", "shared/it"), 0);
	assert_refused("shared/it", -EEXIST);
	assert_int_equal(unlink("shared/it"), 0);
	assert_size("precious", 8);
	make_file("shared/it");
	if (chown("shared/it", NOBODY, NOBODY))
		skip();
	assert_refused("shared/it", -EEXIST);
	assert_int_equal(unlink("shared/it"), 0);
	assert_int_equal(mkfifo("shared/it", 0666), 0);
	assert_int_equal(chown("shared/it", NOBODY, NOBODY), 0);
	assert_int_equal(overwrite_open("shared/it", false, O_NONBLOCK), -EEXIST);
}

static void pipes_and_devices_are_opened_as_they_are(void **state)
{
	int fd = overwrite_open("/dev/null", false, 0);

	(void)state;
	assert_return_code(fd, -fd);
	close(fd);
	assert_int_equal(mkfifo("own/it", 0600), 0);
	assert_int_equal(overwrite_open("own/it", false, O_NONBLOCK), -ENXIO);
	assert_int_equal(overwrite_open_now("own/it", false), -ENXIO);
	assert_string_equal(overwrite_why(-ENXIO), "nobody reads this pipe");
	int reader = open("own/it", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	fd = overwrite_open("own/it", true, O_NONBLOCK);
	assert_return_code(fd, -fd);
	close(fd);
	fd = overwrite_open_now("own/it", true);
	assert_return_code(fd, -fd);
	assert_false(fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
	close(reader);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_file_is_made_or_emptied),
		T(our_own_link_is_followed),
		T(somebody_else_s_link_is_not),
		T(no_link_is_where_everybody_rules),
		T(in_a_shared_directory_a_file_is_ours_and_has_one_name),
		T(pipes_and_devices_are_opened_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
