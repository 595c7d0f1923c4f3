/* SPDX-License-Identifier: BSD-2-Clause */
/* A file is read completely, whatever the descriptor's offset. */
#include "unit/unit.h"

#include "base/preadall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file_of(const char *bytes, size_t n)
{
	int fd = memfd_create("whole", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	return fd;
}

static void all_of_it_and_a_nul(void **state)
{
	static const char bytes[] = "one\0two";
	int fd = file_of(bytes, 7), empty = file_of("", 0);
	size_t size = 99;
	char *whole = pread_whole(fd, &size);

	(void)state;
	assert_non_null(whole);
	assert_int_equal(size, 7);
	assert_memory_equal(whole, bytes, 8);
	free(whole);
	whole = pread_whole(empty, &size);
	assert_non_null(whole);
	assert_int_equal(size, 0);
	assert_string_equal(whole, "");
	free(whole);
	close(fd);
	close(empty);
}

static void what_cannot_be_read_is_nothing(void **state)
{
	int folder = open("/", O_RDONLY | O_CLOEXEC);
	size_t size;

	(void)state;
	assert_null(pread_whole(-1, &size));
	assert_int_equal(errno, EBADF);
	assert_null(pread_whole(folder, &size));
	assert_int_equal(errno, EISDIR);
	close(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_and_a_nul),
		cmocka_unit_test(what_cannot_be_read_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
