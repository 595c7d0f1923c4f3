/* SPDX-License-Identifier: BSD-2-Clause */
/* Anybody can write to /tmp: whose perf map is read? */
#include "unit/unit.h"
#include "naming/jit_map.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void make_file(const char *name)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	fputs("1000 10 f\n", f);
	fclose(f);
}

static void assert_open(bool want)
{
	int fd = jit_map_open(getpid());

	assert_int_equal(fd >= 0, want);
	if (fd >= 0)
		close(fd);
}

static void an_ordinary_file_of_the_process_s_user_is_read(void **state)
{
	(void)state;
	assert_open(false);
	make_file(path);
	assert_open(true);
}

static void a_link_a_pipe_and_a_folder_are_not(void **state)
{
	(void)state;
	make_file("/tmp/test_jit_map.file");
	assert_int_equal(symlink("/tmp/test_jit_map.file", path), 0);
	assert_open(false);
	unlink("/tmp/test_jit_map.file");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_open(false);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_open(false);
	rmdir(path);
}

static void a_file_of_another_user_is_not(void **state)
{
	(void)state;
	make_file(path);
	if (chown(path, 65534, 65534))
		skip();
	assert_open(false);
}

/* Of one that had the same pid. Files of the last seconds before may be the process's own. */
static void a_file_that_is_older_than_the_process_is_not(void **state)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	(void)state;
	make_file(path);
	clock_gettime(CLOCK_REALTIME, &times[1]);
	times[1].tv_sec -= 100000;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_open(false);
	times[1].tv_nsec = UTIME_NOW;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_open(true);
}

static void of_a_process_that_has_ended_it_must_be_ours(void **state)
{
	(void)state;
	/* above PID_MAX_LIMIT, so nobody's */
	make_file("/tmp/perf-999999999.map");
	int fd = jit_map_open(999999999);

	assert_true(fd >= 0);
	close(fd);
	int given = chown("/tmp/perf-999999999.map", 65534, 65534);

	fd = jit_map_open(999999999);
	unlink("/tmp/perf-999999999.map");
	if (given == 0)
		assert_true(fd < 0);
	if (fd >= 0)
		close(fd);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(an_ordinary_file_of_the_process_s_user_is_read),
		T(a_link_a_pipe_and_a_folder_are_not),
		T(a_file_of_another_user_is_not),
		T(a_file_that_is_older_than_the_process_is_not),
		T(of_a_process_that_has_ended_it_must_be_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
