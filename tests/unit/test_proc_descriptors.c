/* SPDX-License-Identifier: BSD-2-Clause */
/* The open descriptors of a process, from /proc. */
#include "unit/unit.h"

#include "proc/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static void write_mib(int fd)
{
	static const char bytes[MIB];

	assert_int_equal(pwrite(fd, bytes, sizeof bytes, 0), MIB);
}

static void files_in_memory_are_added_up_and_no_others(void **state)
{
	char path[] = "/tmp/mprof-descriptors-XXXXXX";
	const uint64_t before = proc_memfd_bytes(getpid());
	const int one = memfd_create("one", MFD_CLOEXEC), other = memfd_create("", MFD_CLOEXEC);
	const int disk = mkstemp(path);

	(void)state;
	assert_true(one >= 0 && other >= 0 && disk >= 0);
	assert_int_equal(unlink(path), 0);
	write_mib(disk);
	assert_int_equal(proc_memfd_bytes(getpid()), before);
	write_mib(one);
	assert_int_equal(proc_memfd_bytes(getpid()), before + MIB);
	write_mib(other);
	assert_int_equal(proc_memfd_bytes(getpid()), before + 2 * MIB);
	/* What is there and has never been written is no memory. */
	assert_int_equal(ftruncate(one, 64 * (off_t)MIB), 0);
	assert_int_equal(proc_memfd_bytes(getpid()), before + 2 * MIB);
	close(one);
	assert_int_equal(proc_memfd_bytes(getpid()), before + MIB);
	close(other);
	close(disk);
}

static void a_process_that_is_gone_has_none(void **state)
{
	const pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(proc_memfd_bytes(pid), 0);
	assert_int_equal(proc_find_memfd(pid, "one"), -1);
	assert_int_equal(proc_descriptors_each(pid, "/", NULL, NULL), -ENOENT);
}

static void a_file_in_memory_is_found_by_its_whole_name(void **state)
{
	const int fd = memfd_create("some name", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(proc_find_memfd(getpid(), "some name"), fd);
	assert_int_equal(proc_find_memfd(getpid(), "some"), -1);
	assert_int_equal(proc_find_memfd(getpid(), "some name "), -1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_in_memory_are_added_up_and_no_others),
		cmocka_unit_test(a_process_that_is_gone_has_none),
		cmocka_unit_test(a_file_in_memory_is_found_by_its_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
