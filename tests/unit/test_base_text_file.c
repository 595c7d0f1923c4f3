/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that is read completely, up to a size. */
#include "unit/unit.h"

#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 10000 };

struct file {
	int fd;
	char path[32];
};

static struct file file_of(size_t n)
{
	struct file f = {.fd = memfd_create("text", MFD_CLOEXEC)};

	assert_true(f.fd >= 0);
	for (size_t i = 0; i < n; i++) {
		const char c = (char)('a' + i % 26);

		assert_int_equal(write(f.fd, &c, 1), 1);
	}
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

static void all_of_it_is_there_with_room_for_a_nul(void **state)
{
	const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8192, MOST - 1, MOST};

	(void)state;
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		const struct file f = file_of(sizes[k]);
		ssize_t len = -1;
		char *text = text_file_read(f.path, MOST, &len);

		assert_int_equal(len, sizes[k]);
		assert_non_null(text);
		text[len] = '\0'; /* a sanitizer sees where there is no room */
		for (ssize_t i = 0; i < len; i++)
			assert_int_equal(text[i], 'a' + i % 26);
		free(text);
		close(f.fd);
	}
}

static void one_byte_more_is_too_much(void **state)
{
	const struct file f = file_of(MOST + 1);
	ssize_t len = -1;

	(void)state;
	free(text_file_read(f.path, MOST, &len));
	assert_int_equal(len, -EFBIG);
	close(f.fd);
	free(text_file_read("/dev/zero", MOST, &len));
	assert_int_equal(len, -ENOTSUP);
}

static void a_pipe_of_the_shell_is_read_to_its_end(void **state)
{
	char path[32];
	ssize_t len = -1;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "one\n", 4), 4);
	assert_int_equal(write(ends[1], "two\n", 4), 4);
	close(ends[1]);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	char *text = text_file_read(path, MOST, &len);

	assert_int_equal(len, 8);
	assert_memory_equal(text, "one\ntwo\n", 8);
	free(text);
	close(ends[0]);
}

static void what_is_no_file_is_not_waited_for(void **state)
{
	char dir[] = "/tmp/mprof-text-XXXXXX", path[64];
	ssize_t len = -1;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	free(text_file_read(path, MOST, &len));
	assert_int_equal(len, -ENOTSUP);
	free(text_file_read(dir, MOST, &len));
	assert_int_equal(len, -EISDIR);
	assert_int_equal(unlink(path), 0);
	free(text_file_read(path, MOST, &len));
	assert_int_equal(len, -ENOENT);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_there_with_room_for_a_nul),
		cmocka_unit_test(one_byte_more_is_too_much),
		cmocka_unit_test(a_pipe_of_the_shell_is_read_to_its_end),
		cmocka_unit_test(what_is_no_file_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
