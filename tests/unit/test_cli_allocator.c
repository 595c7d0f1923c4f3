/* SPDX-License-Identifier: BSD-2-Clause */
/* Which version of glibc a file has: it is found anywhere in a file of ordinary size, and the
 * search in a very large file ends early. */
#include "unit/unit.h"

#include "cli/allocator.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char line[] = "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\nBy ";

static int new_file(void)
{
	char path[] = "/tmp/test_allocator.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return fd;
}

static void put(int fd, const char *text, off_t at)
{
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
}

/* What a file of @size says that has the line at @at only; "": nothing. */
static const char *version_at(off_t at, off_t size)
{
	static char version[16];
	int fd = new_file();

	assert_int_equal(ftruncate(fd, size), 0);
	put(fd, line, at);
	if (!allocator_version_in(fd, version, sizeof version))
		version[0] = '\0';
	close(fd);
	return version;
}

static void it_is_found_wherever_it_is(void **state)
{
	(void)state;
	for (off_t at = (1 << 16) - 80; at < (1 << 16) + 2; at++)
		assert_string_equal(version_at(at, 1 << 18), "2.36");
	assert_string_equal(version_at(0, 0), "2.36");
	assert_string_equal(version_at(100 << 20, 0), "2.36");
}

static void a_file_of_any_size_is_looked_at_for_a_while(void **state)
{
	(void)state;
	assert_string_equal(version_at((off_t)1 << 30, (off_t)1 << 31), "");
}

static void what_only_begins_like_it_is_passed_by(void **state)
{
	char version[16];
	int fd = new_file();

	(void)state;
	assert_false(allocator_version_in(fd, version, sizeof version));
	assert_false(allocator_version_in(-1, version, sizeof version));
	put(fd, "GNU C Library is not ", 0);
	assert_false(allocator_version_in(fd, version, sizeof version));
	put(fd, line, 5000);
	assert_true(allocator_version_in(fd, version, sizeof version));
	assert_string_equal(version, "2.36");
	put(fd, "GNU C Library x release version .. ", 300);
	assert_true(allocator_version_in(fd, version, sizeof version));
	assert_string_equal(version, "2.36");
	/* No longer than there is room for. */
	put(fd, "GNU C Library x release version 2.3456789.0123456789", 0);
	assert_true(allocator_version_in(fd, version, sizeof version));
	assert_string_equal(version, "2.3456789.01234");
	/* As many as there are. */
	for (off_t at = 0; at < 5000; at += 14)
		put(fd, "GNU C Library ", at);
	assert_false(allocator_version_in(fd, version, sizeof version));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_found_wherever_it_is),
		cmocka_unit_test(a_file_of_any_size_is_looked_at_for_a_while),
		cmocka_unit_test(what_only_begins_like_it_is_passed_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
