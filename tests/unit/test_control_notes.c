/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "control/notes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char dir[64];

static int make_place(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/test_notes.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int each(void (*act)(const char *name))
{
	DIR *d = opendir(dir);
	int n = 0;

	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		if (act)
			act(e->d_name);
	}
	closedir(d);
	return n;
}

static void delete(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	unlink(path);
}

static int remove_place(void **state)
{
	(void)state;
	each(delete);
	return rmdir(dir);
}

/* As if it had been left so many seconds ago. */
static void age(pid_t pid, time_t seconds)
{
	struct timespec t[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };
	char path[128];

	snprintf(path, sizeof path, "%s/%d.ended", dir, (int)pid);
	assert_return_code(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void test_found(void **state)
{
	pid_t pid = 12, newest = 0, other = 14;
	struct error e;

	(void)state;
	assert_false(note_find(dir, &newest, &e));
	note_leave(dir, 12, "ended\n \033[2J");
	note_leave(dir, 13, "ended, too");
	age(12, 60);
	assert_true(note_find(dir, &pid, &e));
	assert_string_equal(e.text, "ended\\012 \\033[2J");
	assert_true(note_find(dir, &newest, &e));
	assert_int_equal(newest, 13);
	assert_string_equal(e.text, "ended, too");
	assert_false(note_find(dir, &other, &e));
	note_leave(dir, 12, "ended again");
	assert_true(note_find(dir, &pid, &e));
	assert_string_equal(e.text, "ended again");
	note_remove(dir, 12);
	assert_false(note_find(dir, &pid, &e));
}

static void test_bounded(void **state)
{
	pid_t pid = 1;
	struct error e;

	(void)state;
	for (int i = 1; i <= NOTES_MAX + 20; i++) {
		note_leave(dir, i, "ended");
		age(i, 1000 - i);
	}
	assert_int_equal(each(NULL), NOTES_MAX);
	assert_false(note_find(dir, &pid, &e));
	pid = 21;
	assert_true(note_find(dir, &pid, &e));
	for (int i = 21; i <= 30; i++)
		age(i, NOTES_SECONDS + 10);
	note_leave(dir, 5000, "ended");
	assert_int_equal(each(NULL), NOTES_MAX - 10 + 1);
	assert_false(note_find(dir, &pid, &e));
}

/* Other files in the directory are not ours. */
static void test_others(void **state)
{
	static const char *const names[] = { "12.sock", "x.ended", "12.ended.old", "mprof.data" };
	pid_t newest = 0, pid = 77;
	char path[128];
	struct error e;
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		assert_int_equal(write(fd, "kept", 4), 4);
		close(fd);
	}
	assert_false(note_find(dir, &newest, &e));
	/* A link is not followed, but makes room. */
	snprintf(path, sizeof path, "%s/77.ended", dir);
	assert_return_code(symlink("mprof.data", path), 0);
	assert_false(note_find(dir, &pid, &e));
	note_leave(dir, 77, "ended");
	assert_true(note_find(dir, &pid, &e));
	assert_int_equal(each(NULL), 5);
	snprintf(path, sizeof path, "%s/mprof.data", dir);
	assert_return_code(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
}

/* Opening it would block for ever. */
static void test_nobody_waits_for_who_reads_a_pipe(void **state)
{
	pid_t pid = 77;
	char path[128];
	struct error e;
	struct stat st;

	(void)state;
	snprintf(path, sizeof path, "%s/77.ended", dir);
	assert_return_code(mkfifo(path, 0600), 0);
	assert_false(note_find(dir, &pid, &e));
	mode_t mask = umask(0);
	alarm(20);
	note_leave(dir, 77, "ended");
	alarm(0);
	umask(mask);
	assert_true(note_find(dir, &pid, &e));
	assert_string_equal(e.text, "ended");
	assert_return_code(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(each(NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_bounded, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_others, make_place, remove_place),
		cmocka_unit_test_setup_teardown(test_nobody_waits_for_who_reads_a_pipe, make_place,
						remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
