/* SPDX-License-Identifier: BSD-2-Clause */
/* Each part of the confinement alone: if a kernel lacks one, the others must hold. */
#include "unit/unit.h"

#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a process of its own: what it returns is its status. */
static int alone(int (*fn)(void))
{
	int wstatus = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(fn());
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

/* A line of /proc/self/status, as a number in hexadecimal digits. */
static uint64_t status_of(const char *name)
{
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, 16);
	if (f)
		fclose(f);
	return value;
}

static int drop(void)
{
	const uint64_t reading = 1 << 2;	/* CAP_DAC_READ_SEARCH */

	return confine_drop_capabilities()	       ? 1
	       : status_of("CapEff:") & ~reading       ? 2
	       : status_of("CapPrm:") & ~reading       ? 3
	       : status_of("CapInh:")		       ? 4
	       : status_of("CapAmb:")		       ? 5
	       : status_of("NoNewPrivs:") != 1	       ? 6
	       : !geteuid() && status_of("CapBnd:")    ? 7
	       : !geteuid() && !setgid(12345)	       ? 8
						       : 0;
}

static void no_capability_is_left_but_to_read(void **state)
{
	(void)state;
	assert_int_equal(alone(drop), 0);
}

static int only_read(void)
{
	char dir[] = "/tmp/mprof-confine.XXXXXX", path[64];

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/file", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), status = 0;

	rmdir(dir);	/* it is not empty */
	pid_t pid = fork();
	if (!pid) {
		int err = confine_drop_capabilities() ? 2 : confine_files();

		_exit(err == -ENOSYS || err == -EOPNOTSUPP		     ? 77
		      : err						     ? 2
		      : open(path, O_WRONLY | O_CLOEXEC) >= 0 || errno != EACCES ? 3
		      : open(dir, O_RDONLY | O_CLOEXEC) < 0		     ? 4
		      : open(path, O_RDONLY | O_CLOEXEC) < 0		     ? 5
		      : !unlink(path)					     ? 6
		      : write(fd, "x", 1) != 1				     ? 7
									     : 0);
	}
	waitpid(pid, &status, 0);
	close(fd);
	unlink(path);
	rmdir(dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void files_are_only_read_but_those_that_are_open(void **state)
{
	(void)state;
	int status = alone(only_read);

	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

static int call(void)
{
	if (confine_drop_capabilities() || confine_syscalls())
		return 1;
	return socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM	       ? 2
	       : open("/dev/null", O_RDWR | O_CLOEXEC) >= 0		       ? 3
	       : open("/dev/null", O_RDONLY | O_CLOEXEC) < 0		       ? 4
	       : !kill(getpid(), 0)					       ? 5
	       : fork() >= 0						       ? 6
	       : mprotect(&status_of, 1, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 ? 7
	       : !malloc(1 << 20)					       ? 8
									       : 0;
}

static void system_calls_that_reading_does_not_need_fail(void **state)
{
	(void)state;
	assert_int_equal(alone(call), 0);
}

/* Not by malloc(), which sanitizers end the process in. */
static bool can_have(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

/* Where memory ends it is the first to be killed, whoever it is a child of. */
static bool is_offered(void)
{
	char text[8] = "";
	const int fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
	const ssize_t n = read(fd, text, sizeof text - 1);

	close(fd);
	return n > 0 && atoi(text) == 1000;
}

static int bound(void)
{
	struct rlimit r;

	if (confine_bound(&(struct confine_bounds){ 64 << 20, 100 }))
		return 1;
	/* A user who allows less is not overridden, and the soft limit is the one that is met. */
	return getrlimit(RLIMIT_CPU, &r) || r.rlim_cur > 100 || r.rlim_max > r.rlim_cur + 1 ? 2
	       : getrlimit(RLIMIT_CORE, &r) || r.rlim_max				     ? 3
	       : can_have(128 << 20)							     ? 4
	       : !can_have(16 << 20)							     ? 5
	       : !is_offered()								     ? 6
											     : 0;
}

static void memory_and_time_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(alone(bound), 0);
}

static int *shared, *kept;
static int ends[2], null;

static int let_go(void)
{
	confine_let_go(&null, 1, kept);
	*shared = 3;
	*kept = 4;
	return fcntl(ends[0], F_GETFD) >= 0 || fcntl(ends[1], F_GETFD) >= 0 ? 1
	       : fcntl(null, F_GETFD) < 0					 ? 2
										 : 0;
}

/* As a kernel before Linux 5.9. */
static int let_go_without_close_range(void)
{
	scmp_filter_ctx c = seccomp_init(SCMP_ACT_ALLOW);

	if (!c || seccomp_rule_add(c, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(close_range), 0) ||
	    seccomp_load(c))
		return 3;
	return let_go();
}

static void what_others_share_is_out_of_reach(void **state)
{
	const int flags = MAP_SHARED | MAP_ANONYMOUS;

	(void)state;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
	kept = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	*shared = 1;
	assert_int_equal(alone(let_go), 0);
	assert_int_equal(alone(let_go_without_close_range), 0);
	assert_int_equal(*shared, 1);
	assert_int_equal(*kept, 4);
	munmap(shared, 4096);
	munmap(kept, 4096);
	close(null);
	close(ends[0]);
	close(ends[1]);
}

static void all_parts_can_be_had_here_or_are_told(void **state)
{
	(void)state;
	struct error what;

	assert_int_equal(confine_lacking() & ~(unsigned)CONFINE_FILES, 0);
	assert_false(confine_tell_lacking(0, &what));
	assert_true(confine_tell_lacking(CONFINE_FILES | CONFINE_SYSCALLS, &what));
	assert_string_equal(what.text, "Landlock, a seccomp filter");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_capability_is_left_but_to_read),
		cmocka_unit_test(files_are_only_read_but_those_that_are_open),
		cmocka_unit_test(system_calls_that_reading_does_not_need_fail),
		cmocka_unit_test(memory_and_time_are_bounded),
		cmocka_unit_test(what_others_share_is_out_of_reach),
		cmocka_unit_test(all_parts_can_be_had_here_or_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
