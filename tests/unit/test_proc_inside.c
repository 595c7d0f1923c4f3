/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that is confined to a directory (chroot) cannot lead us out of it. */
#include "unit/unit.h"
#include "proc/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];
static pid_t inside;	/* its root is dir/jail */

static void make_file(const char *name, const char *words)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	fputs(words, f);
	fclose(f);
}

static pid_t shut_up(const char *root)
{
	int ready[2];
	char is_in = 0;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		is_in = !chroot(root);
		(void)!write(ready[1], &is_in, 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &is_in, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (!is_in) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return 0;
	}
	return pid;
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_inside.XXXXXX");
	if (!mkdtemp(dir) || chdir(dir) || mkdir("jail", 0700) || mkdir("jail/lib", 0700))
		return -1;
	make_file("secret", "outside");
	make_file("jail/secret", "inside");
	make_file("jail/lib/real", "real");
	if (symlink("real", "jail/lib/relative") || symlink("/lib/real", "jail/lib/absolute") ||
	    symlink("../../../../secret", "jail/lib/up") || symlink("lib", "jail/lib64") ||
	    mkfifo("jail/lib/pipe", 0600))
		return -1;
	inside = shut_up("jail");
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { "secret", "jail/secret", "jail/lib/real",
					     "jail/lib/relative", "jail/lib/absolute",
					     "jail/lib/up", "jail/lib64", "jail/lib/pipe" };

	(void)state;
	if (inside) {
		kill(inside, SIGKILL);
		waitpid(inside, NULL, 0);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(names[i]);
	return rmdir("jail/lib") || rmdir("jail") || chdir("/") || rmdir(dir);
}

static void assert_says(const char *path, const char *words)
{
	char text[16] = "";
	int fd = proc_open_inside(inside, path, 0);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	assert_string_equal(text, words);
	close(fd);
}

static void links_end_inside(void **state)
{
	(void)state;
	if (!inside || !proc_follows_inside())
		skip();
	assert_says("/lib/real", "real");
	assert_says("/lib/relative", "real");
	assert_says("/lib/absolute", "real");
	assert_says("/lib64/real", "real");
	assert_says("/lib/up", "inside");
	assert_says("/../../../../secret", "inside");
	assert_int_equal(proc_open_inside(inside, "/lib/relative", O_NOFOLLOW), -ENOTSUP);
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	if (!inside)
		skip();
	assert_int_equal(proc_open_inside(inside, "/lib/pipe", 0), -ENOTSUP);
	assert_int_equal(proc_open_inside(inside, "/lib", 0), -ENOTSUP);
	assert_int_equal(proc_open_inside(inside, "/nowhere", 0), -ENOENT);
}

/* They lead into any file system. */
static void links_of_proc_are_not_followed(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/proc/%d/root/proc/%d/exe", (int)getpid(), (int)getpid());
	assert_int_equal(proc_open_inside(getpid(), path, 0),
			 proc_follows_inside() ? -ELOOP : -ENOTDIR);
}

static void forbid(long call, unsigned err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof code / sizeof *code, code };

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/* How many of these are not as they should be. */
static int wrong_without_the_call(unsigned err)
{
	forbid(SYS_openat2, err);
	int real = proc_open_inside(inside, "//lib/./real", 0);

	return proc_follows_inside() + (real < 0) +
	       (proc_open_inside(inside, "/lib/relative", 0) != -ENOTSUP) +
	       (proc_open_inside(inside, "/lib/up", 0) != -ENOTSUP) +
	       (proc_open_inside(inside, "/lib64/real", 0) != -ENOTDIR) +
	       (proc_open_inside(inside, "/../secret", 0) != -ELOOP) +
	       (proc_open_inside(inside, "/lib/nowhere/real", 0) != -ENOENT);
}

static void where_the_kernel_cannot_do_that_no_link_is_followed(void **state)
{
	static const unsigned errs[] = { ENOSYS, EPERM };

	(void)state;
	if (!inside)
		skip();
	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(wrong_without_the_call(errs[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(links_end_inside),
		T(what_is_no_file_is_refused),
		T(links_of_proc_are_not_followed),
		T(where_the_kernel_cannot_do_that_no_link_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
