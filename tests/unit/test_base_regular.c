/* SPDX-License-Identifier: BSD-2-Clause */
/* Anything but a regular file is not opened, not even for a moment. */
#include "unit/unit.h"
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];
static int opened;	/* inotify, of all that is opened in dir */

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_regular.XXXXXX");
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	opened = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(opened);
	unlink("it");
	unlink("other");
	return chdir("/") || rmdir(dir);
}

static void make_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "words", 5), 5);
	close(fd);
}

static void watch(const char *name)
{
	assert_true(inotify_add_watch(opened, name, IN_OPEN) >= 0);
}

static bool was_opened(void)
{
	char event[sizeof(struct inotify_event) + 256];

	return read(opened, event, sizeof event) > 0;
}

static void assert_words(int fd)
{
	char words[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, words, sizeof words), 5);
	assert_string_equal(words, "words");
	close(fd);
}

static void a_file_is_read_also_by_way_of_a_link(void **state)
{
	(void)state;
	make_file("it");
	watch("it");
	assert_words(regular_open(AT_FDCWD, "it", 0));
	assert_true(was_opened()); /* so that the other tests mean something */
	assert_int_equal(symlink("it", "other"), 0);
	assert_words(regular_open(AT_FDCWD, "other", 0));
	assert_int_equal(regular_open(AT_FDCWD, "other", O_NOFOLLOW), -ENOTSUP);
	assert_int_equal(regular_open(AT_FDCWD, "nowhere", 0), -ENOENT);
}

static void a_pipe_is_not_opened(void **state)
{
	(void)state;
	assert_int_equal(mkfifo("it", 0600), 0);
	watch("it");
	assert_int_equal(regular_open(AT_FDCWD, "it", 0), -ENOTSUP);
	assert_false(was_opened());
}

static void a_device_is_not_opened(void **state)
{
	(void)state;
	if (mknod("it", S_IFCHR | 0600, 0x103)) /* null */
		skip();
	watch("it");
	assert_int_equal(regular_open(AT_FDCWD, "it", 0), -ENOTSUP);
	assert_false(was_opened());
}

static void a_directory_is_none(void **state)
{
	(void)state;
	assert_int_equal(regular_open(AT_FDCWD, dir, 0), -ENOTSUP);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_file_is_read_also_by_way_of_a_link),
		T(a_pipe_is_not_opened),
		T(a_device_is_not_opened),
		T(a_directory_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
