/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_profile_datafile.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Whatever happens while a file is written: either the old file is still there, or the new one is
 * complete. */

static struct profile_data *small(void)
{
	return random_profile(5, 10, 20, 1);
}

static struct profile_data *large(void)
{
	return random_profile(300, 3000, 20000, 2);
}

static void assert_holds(const char *path, struct profile_data *d)
{
	struct profile_data *found = read_ok(path);

	assert_profiles_equal(found, d);
	profile_data_free(found);
	profile_data_free(d);
}

/* Writes the large profile; it must fail with @want and say so in a sentence with @path and
 * @word. */
static void assert_refused(const char *path, int want, const char *word)
{
	struct profile_data *d = large();
	struct error e = { "" };

	assert_int_equal(datafile_write(path, d, &e), want);
	profile_data_free(d);
	if (!strstr(e.text, path) || !strstr(e.text, word))
		fail_msg("no '%s' and '%s' in: %s", path, word, e.text);
}

/*
 * Runs @change in a child, because it cannot be undone, then lets the child write the large
 * profile. Returns what datafile_write() returned, negated, or 255 if @change failed: not possible
 * here.
 */
static int written_after(int (*change)(long arg), long arg, const char *path)
{
	struct profile_data *d = large();
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		struct error e = { "" };

		if (change(arg))
			_exit(255);
		int err = datafile_write(path, d, &e);
		if (err == -ENOSPC && !strstr(e.text, "disk full"))
			_exit(254);
		if (err && !strstr(e.text, path))
			_exit(253);
		if (err && entries(".") != 1)	/* here, since a mount is seen by the child only */
			_exit(252);
		profile_data_free(d);
		_exit(-err);
	}
	profile_data_free(d);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A tmpfs of @kilobytes over the current directory, with the small profile in it. */
static int on_a_small_disk(long kilobytes)
{
	char options[64];

	snprintf(options, sizeof options, "size=%ldk", kilobytes);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", test_dir, "tmpfs", 0, options) || chdir(test_dir))
		return -1;
	struct profile_data *d = small();
	struct error e;
	int err = datafile_write("mprof.data", d, &e);
	profile_data_free(d);
	return err;
}

/* What the child did, seen from inside it: the old file is whole. */
static int full_disk_then_look(long kilobytes)
{
	struct error e;
	struct profile_data *d = large(), *found = NULL, *old = small();

	if (on_a_small_disk(kilobytes))
		return -1;
	if (datafile_write("mprof.data", d, &e) != -ENOSPC)
		_exit(251);
	if (datafile_read("mprof.data", &found, &e) || found->n_nodes != old->n_nodes)
		_exit(250);
	profile_data_free(found);
	profile_data_free(d);
	profile_data_free(old);
	return 0;
}

static void a_full_disk_leaves_the_old_file(void **state)
{
	(void)state;
	for (long kilobytes = 128; kilobytes <= 512; kilobytes += 96) {
		int result = written_after(full_disk_then_look, kilobytes, "mprof.data");

		if (result == 255)
			skip();	/* not root, or not allowed to mount */
		assert_int_equal(result, ENOSPC);
	}
}

static int limit_file_size(long bytes)
{
	struct rlimit limit = { (rlim_t)bytes, (rlim_t)bytes };

	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &limit);
}

/* Every write fails once, from the first to the last. */
static void a_write_that_fails_anywhere_leaves_the_old_file(void **state)
{
	struct profile_data *d = large();
	struct stat st;

	(void)state;
	write_ok("mprof.data", d);
	profile_data_free(d);
	assert_int_equal(stat("mprof.data", &st), 0);
	d = small();
	write_ok("mprof.data", d);
	profile_data_free(d);
	for (long limit = 0; limit < st.st_size; limit += 4096 * 5 + 100) {
		assert_int_equal(written_after(limit_file_size, limit, "mprof.data"), EFBIG);
		assert_int_equal(entries("."), 1);
		assert_holds("mprof.data", small());
	}
	assert_int_equal(written_after(limit_file_size, st.st_size, "mprof.data"), 0);
	assert_holds("mprof.data", large());
}

static int become_nobody(long arg)
{
	(void)arg;
	return geteuid() ? 0 : setgid(65534) || setuid(65534);
}

static void an_unwritable_directory_leaves_the_old_file(void **state)
{
	struct profile_data *d = small();

	(void)state;
	write_ok("mprof.data", d);
	profile_data_free(d);
	assert_int_equal(chmod(".", 0555), 0);
	assert_int_equal(chmod("mprof.data", 0666), 0);
	int result = written_after(become_nobody, 0, "mprof.data");
	assert_int_equal(chmod(".", 0700), 0);
	assert_int_equal(result, EACCES);
	assert_holds("mprof.data", small());
}

static int mount_read_only(long arg)
{
	(void)arg;
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount(test_dir, test_dir, NULL, MS_BIND, NULL) ||
	       mount(NULL, test_dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) ||
	       chdir(test_dir);
}

static void a_read_only_disk_leaves_the_old_file(void **state)
{
	struct profile_data *d = small();

	(void)state;
	write_ok("mprof.data", d);
	profile_data_free(d);
	int result = written_after(mount_read_only, 0, "mprof.data");
	if (result == 255)
		skip();
	assert_int_equal(result, EROFS);
	assert_holds("mprof.data", small());
}

static void a_new_file_replaces_the_old_one(void **state)
{
	struct profile_data *a = small(), *b = large();

	(void)state;
	write_ok("mprof.data", b);
	write_ok("mprof.data", a);
	profile_data_free(a);
	profile_data_free(b);
	assert_int_equal(entries("."), 1);
	assert_holds("mprof.data", small());
}

static void a_symbolic_link_is_replaced_not_followed(void **state)
{
	const char *targets[] = { "precious", "missing", "directory" };
	struct profile_data *d = small();
	char content[16] = "";
	struct stat st;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(system("echo keep me > precious; mkdir -p directory"), 0);
		assert_int_equal(symlink(targets[i], "mprof.data"), 0);
		write_ok("mprof.data", d);
		assert_int_equal(lstat("mprof.data", &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(entries("."), 3);
		assert_int_equal(entries("directory"), 0);
		assert_int_equal(unlink("mprof.data"), 0);
	}
	FILE *f = fopen("precious", "r");
	assert_non_null(fgets(content, sizeof content, f));
	fclose(f);
	assert_string_equal(content, "keep me\n");
	profile_data_free(d);
}

static void the_mode_is_that_of_any_new_file(void **state)
{
	struct profile_data *d = small();
	struct stat st;
	mode_t old = umask(027);

	(void)state;
	write_ok("mprof.data", d);
	umask(old);
	profile_data_free(d);
	assert_int_equal(stat("mprof.data", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void impossible_places_are_refused_with_a_sentence(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = 0;
	assert_int_equal(mkdir("dir", 0777), 0);
	assert_int_equal(system("echo > file"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_refused("missing/mprof.data", -ENOENT, "No such file");
	assert_refused("missing/", -EISDIR, "directory");
	assert_refused("dir", -EISDIR, "directory");
	assert_refused("dir/", -EISDIR, "directory");
	assert_refused(".", -EISDIR, "directory");
	assert_refused("file/mprof.data", -ENOTDIR, "Not a directory");
	assert_refused("", -ENOENT, "No such file");
	assert_refused(name, -ENAMETOOLONG, "too long");
	assert_int_equal(entries("."), 3);
	assert_int_equal(entries("dir"), 0);
}

static void special_files_are_refused_and_stay(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(symlink("/dev/full", "link"), 0);
	assert_int_equal(symlink("/proc/self/fd/0", "stdin"), 0);
	assert_refused("fifo", -EINVAL, "not an ordinary file");
	assert_refused("/dev/full", -EINVAL, "not an ordinary file");
	assert_refused("link", -EINVAL, "not an ordinary file");
	assert_int_equal(lstat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(entries("."), 3);
}

/* Run as root, this would turn /dev/stdout into a file for everybody. */
static void a_link_to_an_open_file_is_refused(void **state)
{
	char target[64];
	struct stat st;
	int fd = open("redirected", O_RDWR | O_CREAT, 0666);

	(void)state;
	assert_true(fd >= 0);
	snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
	assert_int_equal(symlink(target, "stdout"), 0);
	assert_refused("stdout", -EINVAL, "open file");
	assert_int_equal(lstat("stdout", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	close(fd);
}

static void dev_null_takes_it_and_stays_a_device(void **state)
{
	struct profile_data *d = small();
	struct stat st;

	(void)state;
	write_ok("/dev/null", d);
	assert_int_equal(symlink("/dev/null", "mprof.data"), 0);
	write_ok("mprof.data", d);
	profile_data_free(d);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(lstat("mprof.data", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(entries("."), 1);
}

/* SQLite itself accepts no path above 512 bytes, and some characters are special to it. */
static void long_paths_and_odd_names_are_no_matter(void **state)
{
	char path[2000] = "", part[202];

	(void)state;
	memset(part, 'd', sizeof part);
	part[0] = '?';
	part[sizeof part - 2] = '/';
	part[sizeof part - 1] = 0;
	for (int i = 0; i < 6; i++) {
		strcat(path, part);
		assert_int_equal(mkdir(path, 0777), 0);
	}
	strcat(path, "a?mode=memory&b#c%20 d.data");
	struct profile_data *d = small();
	write_ok(path, d);
	profile_data_free(d);
	assert_holds(path, small());
	assert_int_equal(system("touch file:x"), 0);
	d = small();
	write_ok(":memory:", d);
	write_ok("file:x", d);
	profile_data_free(d);
	assert_holds(":memory:", small());
	assert_holds("file:x", small());
}

static void an_inconsistent_profile_is_not_written(void **state)
{
	struct profile_data *d = small();
	struct error e = { "" };

	(void)state;
	d->totals.frees++;
	assert_int_equal(datafile_write("mprof.data", d, &e), -EINVAL);
	assert_non_null(strstr(e.text, "the profile is inconsistent: the leaves add up to"));
	assert_int_equal(datafile_write("mprof.data", d, NULL), -EINVAL);
	assert_int_equal(entries("."), 0);
	profile_data_free(d);
}

#define TEST(f) cmocka_unit_test_teardown(f, test_dir_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_full_disk_leaves_the_old_file),
		TEST(a_write_that_fails_anywhere_leaves_the_old_file),
		TEST(an_unwritable_directory_leaves_the_old_file),
		TEST(a_read_only_disk_leaves_the_old_file),
		TEST(a_new_file_replaces_the_old_one),
		TEST(a_symbolic_link_is_replaced_not_followed),
		TEST(the_mode_is_that_of_any_new_file),
		TEST(impossible_places_are_refused_with_a_sentence),
		TEST(special_files_are_refused_and_stay),
		TEST(a_link_to_an_open_file_is_refused),
		TEST(dev_null_takes_it_and_stays_a_device),
		TEST(long_paths_and_odd_names_are_no_matter),
		TEST(an_inconsistent_profile_is_not_written),
	};

	return cmocka_run_group_tests_name("datafile write", tests, test_dir_make, test_dir_remove);
}
