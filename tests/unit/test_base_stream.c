/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "base/stream.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_MOUNT = 77 };

/* On a full disk that nobody else sees. */
static int write_in_there(void)
{
	FILE *out;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", 0, "size=64k") || chdir("/mnt"))
		return CANNOT_MOUNT;
	out = fopen("filler", "w");
	while (out && fputc('x', out) != EOF && !fflush(out))
		;
	if (out)
		fclose(out);
	/* stdio writes 4096 at a time: what is lost is noticed in the middle, or at the end. */
	for (int n = 1; n < 3 * 4096; n += n < 4000 || n > 4200 ? 97 : 1) {
		out = fopen("lost", "w");
		for (int i = 0; out && i < n; i++)
			fputc('x', out);
		if (!out || stream_close(out) != -ENOSPC)
			return 1;
	}
	return 0;
}

static void a_full_disk_is_the_reason_however_much_was_to_be_written(void **state)
{
	int wstatus;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(write_in_there());
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	if (WEXITSTATUS(wstatus) == CANNOT_MOUNT) {
		print_message("skipped: not allowed to mount here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(wstatus), 0);
}

/* The file system is not full; and at the end mostly nothing is left in the buffer to be
 * written. */
static void a_device_that_takes_nothing_is_the_reason_however_it_is_written(void **state)
{
	(void)state;
	for (int piece = 1; piece < 5000; piece = 2 * piece + 1)
		for (int n = 1; n < 3 * 4096; n += n < 4000 || n > 4200 ? 97 : 1) {
			FILE *out = fopen("/dev/full", "w");

			assert_non_null(out);
			for (int left = n; left > 0; left -= piece)
				fprintf(out, "%*s", left < piece ? left : piece, "");
			errno = EINTR; /* of something else since */
			assert_int_equal(stream_flush(out), -ENOSPC);
			assert_int_equal(stream_close(out), -ENOSPC);
		}
}

static void a_limit_of_the_size_is_the_reason(void **state)
{
	struct rlimit was, is;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	is = (struct rlimit){ 4096, was.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	for (int n = 4097; n < 8400; n += 41) {
		FILE *out = tmpfile();

		assert_non_null(out);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &is), 0);
		for (int left = n; left > 0; left -= 41)
			fprintf(out, "%*s", left < 41 ? left : 41, "");
		int lost = stream_close(out);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
		assert_int_equal(lost, -EFBIG);
	}
	signal(SIGXFSZ, SIG_DFL);
}

static void what_was_written_is_no_error(void **state)
{
	FILE *out = tmpfile();

	(void)state;
	assert_non_null(out);
	fputs("all of it", out);
	assert_int_equal(stream_flush(out), 0);
	assert_int_equal(stream_close(out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_disk_is_the_reason_however_much_was_to_be_written),
		cmocka_unit_test(
			a_device_that_takes_nothing_is_the_reason_however_it_is_written),
		cmocka_unit_test(a_limit_of_the_size_is_the_reason),
		cmocka_unit_test(what_was_written_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
