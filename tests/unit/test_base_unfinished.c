/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "base/unfinished.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/mprof-test-XXXXXX";

static int begin(void **state)
{
	(void)state;
	unfinished_share();
	return !mkdtemp(dir) || chdir(dir) || mkdir("in", 0700);
}

static int end(void **state)
{
	(void)state;
	return rmdir("in") || chdir("/") || rmdir(dir);
}

static void make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static bool is_there(const char *name)
{
	return !access(name, F_OK);
}

enum stage { NOTED, MADE, PLACED };

/* A process writes a file, and is killed when it has come so far. */
static pid_t killed_at(enum stage stage, const char *path, const char *temp)
{
	pid_t pid = fork();

	if (!pid) {
		unfinished_begin(path, strrchr(temp, '/') ? strrchr(temp, '/') + 1 : temp);
		if (stage >= MADE)
			make(temp);
		if (stage >= PLACED) {
			rename(temp, path);
			unfinished_end();
		}
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

static void what_one_that_was_killed_has_left_is_removed(void **state)
{
	(void)state;
	pid_t pid = killed_at(MADE, "in/page", "in/temp.1");

	assert_true(is_there("in/temp.1"));
	unfinished_remove(pid);
	assert_false(is_there("in/temp.1"));
	pid = killed_at(MADE, "page", "temp.2");
	unfinished_remove(pid);
	assert_false(is_there("temp.2"));
	unfinished_remove(killed_at(NOTED, "page", "temp.3"));
}

static void a_file_in_its_place_stays(void **state)
{
	(void)state;
	pid_t pid = killed_at(PLACED, "page", "temp.1");

	unfinished_remove(pid);
	assert_true(is_there("page"));
	unlink("page");
}

static void only_what_that_process_has_left_is_removed(void **state)
{
	(void)state;
	pid_t first = killed_at(MADE, "page", "temp.1"), second = killed_at(MADE, "page", "temp.2");

	unfinished_remove(second);
	assert_true(is_there("temp.1"));
	assert_false(is_there("temp.2"));
	unfinished_remove(first);
	assert_false(is_there("temp.1"));
}

/* There is room for some at a time, and for any number one after the other. */
static void room_is_used_again(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		pid_t pid = killed_at(MADE, "page", "temp");

		unfinished_remove(pid);
		assert_false(is_there("temp"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_that_was_killed_has_left_is_removed),
		cmocka_unit_test(a_file_in_its_place_stays),
		cmocka_unit_test(only_what_that_process_has_left_is_removed),
		cmocka_unit_test(room_is_used_again),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
