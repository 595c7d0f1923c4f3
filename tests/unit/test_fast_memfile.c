/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that is shared with a program is one that it has just made in memory, whatever stands at
 * its descriptor by the time we look. */
#include "unit/unit.h"
#include "fast/memfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 8192 };

static char path[64];

static int setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_memfile.XXXXXX");
	int fd = mkstemp(path);

	return fd < 0 || write(fd, "words", 5) != 5 || close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static int new_memfd(unsigned flags)
{
	int fd = memfd_create("it", MFD_CLOEXEC | flags);

	assert_true(fd >= 0);
	return fd;
}

/* It stays as it is. */
static void assert_refused(int there)
{
	const off_t was = size_of(there);

	assert_int_equal(memfile_open(getpid(), there, SIZE), -ESTALE);
	assert_int_equal(size_of(there), was);
	close(there);
}

static void test_new_file_is_opened_with_a_size_that_stays(void **state)
{
	(void)state;
	int there = new_memfd(MFD_ALLOW_SEALING), here = memfile_open(getpid(), there, SIZE);

	assert_true(here >= 0);
	assert_int_equal(pwrite(there, "x", 1, SIZE - 1), 1);
	char c = 0;
	assert_int_equal(pread(here, &c, 1, SIZE - 1), 1);
	assert_int_equal(c, 'x');
	assert_int_equal(ftruncate(there, 0), -1);
	assert_int_equal(ftruncate(there, SIZE * 2), -1);
	assert_int_equal(size_of(here), SIZE);
	close(here);
	close(there);
}

static void test_file_that_has_a_name_keeps_its_size(void **state)
{
	(void)state;
	int there = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(there >= 0);
	assert_refused(there);
}

static void test_nameless_file_on_a_disk_keeps_its_size(void **state)
{
	char other[] = "/tmp/test_memfile.XXXXXX";

	(void)state;
	int made = mkostemp(other, O_CLOEXEC), there = open(other, O_RDONLY | O_CLOEXEC);
	assert_true(made >= 0 && there >= 0);
	unlink(other);
	close(made);
	assert_refused(there);
}

static void test_file_in_memory_with_something_in_it_is_refused(void **state)
{
	(void)state;
	int there = new_memfd(MFD_ALLOW_SEALING);

	assert_int_equal(write(there, "words", 5), 5);
	assert_refused(there);
}

static void test_file_that_cannot_be_sealed_is_refused(void **state)
{
	(void)state;
	assert_refused(new_memfd(0));
}

static void test_what_is_no_file_is_refused(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(memfile_open(getpid(), ends[0], SIZE), -ESTALE);
	close(ends[0]);
	close(ends[1]);
}

static void test_descriptor_that_is_gone_is_said(void **state)
{
	(void)state;
	int there = new_memfd(0);

	close(there);
	assert_int_equal(memfile_open(getpid(), there, SIZE), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_file_is_opened_with_a_size_that_stays),
		cmocka_unit_test(test_file_that_has_a_name_keeps_its_size),
		cmocka_unit_test(test_nameless_file_on_a_disk_keeps_its_size),
		cmocka_unit_test(test_file_in_memory_with_something_in_it_is_refused),
		cmocka_unit_test(test_file_that_cannot_be_sealed_is_refused),
		cmocka_unit_test(test_what_is_no_file_is_refused),
		cmocka_unit_test(test_descriptor_that_is_gone_is_said),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
