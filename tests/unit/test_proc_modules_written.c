/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are taken for each other: written over between two processes that map them, or of one
 * number. */
#include "unit/unit.h"
#include "proc/modules.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct written {
	char path[64];
	int fd;
	void *at;
	struct module_files files;
	struct mappings maps;
};

static int setup(void **state)
{
	struct written *x = calloc(1, sizeof *x);
	const char text[PAGE] = "text";

	*state = x;
	if (!x)
		return -1;
	strcpy(x->path, "/tmp/test_written.XXXXXX");
	x->fd = mkostemp(x->path, O_CLOEXEC);
	if (x->fd < 0 || write(x->fd, text, PAGE) != PAGE || fchmod(x->fd, 0700))
		return -1;
	x->at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, x->fd, 0);
	return x->at == MAP_FAILED || mappings_read(getpid(), &x->files, &x->maps) ? -1 : 0;
}

static int teardown(void **state)
{
	struct written *x = *state;

	munmap(x->at, PAGE);
	close(x->fd);
	unlink(x->path);
	mappings_release(&x->maps);
	module_files_release(&x->files);
	free(x);
	return 0;
}

/* Another time, whatever the clock tells, or another size. */
static void set_time(struct written *x, time_t s)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = s } };

	assert_int_equal(futimens(x->fd, times), 0);
}

static uint32_t number(const struct written *x, const struct mappings *maps)
{
	const struct mapping *m = mappings_find(maps, (uintptr_t)x->at);

	assert_non_null(m);
	return m->file;
}

/* As a process that had @was mapped before; NULL: that is new. */
static uint32_t number_now(struct written *x, const struct mappings *was)
{
	struct mappings now;

	assert_int_equal(was ? mappings_read_again(getpid(), &x->files, was, &now)
			     : mappings_read(getpid(), &x->files, &now), 0);
	const uint32_t n = number(x, &now);
	mappings_release(&now);
	return n;
}

static void to_new_processes_a_file_that_was_written_over_is_another(void **state)
{
	struct written *x = *state;
	const uint32_t first = number(x, &x->maps);

	assert_int_equal(number_now(x, NULL), first);
	set_time(x, 1000);
	const uint32_t second = number_now(x, NULL);
	assert_int_not_equal(second, first);
	assert_int_equal(number_now(x, NULL), second);
	assert_int_equal(ftruncate(x->fd, 2 * PAGE), 0);
	set_time(x, 1000);
	const uint32_t third = number_now(x, NULL);
	assert_int_not_equal(third, first);
	assert_int_not_equal(third, second);
}

/* Its breakpoints are in what it has mapped, and found there by that number. */
static void in_a_process_that_has_it_mapped_a_file_keeps_its_number(void **state)
{
	struct written *x = *state;
	const uint32_t first = number(x, &x->maps);

	set_time(x, 1000);
	assert_int_equal(number_now(x, &x->maps), first);
	assert_int_not_equal(number_now(x, NULL), first);
	assert_int_equal(number_now(x, &x->maps), first);
}

static void what_was_mapped_cannot_be_read_once_it_was_written_over(void **state)
{
	struct written *x = *state;
	const uint32_t first = number(x, &x->maps);

	assert_int_equal(module_file_fd(&x->files.files[first]), x->files.files[first].fd);
	assert_true(x->files.files[first].fd >= 0);
	set_time(x, 1000);
	assert_int_equal(module_file_fd(&x->files.files[first]), -1);
	const uint32_t second = number_now(x, NULL);
	assert_int_equal(module_file_fd(&x->files.files[second]), x->files.files[second].fd);
}

static void a_file_that_is_always_written_to_is_not_opened_for_ever(void **state)
{
	struct written *x = *state;
	const size_t n = x->files.n;

	for (int i = 0; i < 1000; i++) {
		set_time(x, 1000 + i);
		number_now(x, NULL);
	}
	assert_true(x->files.n < n + 100);
}

/* Inodes are numbered by file system. */
static void the_program_is_a_file_that_its_process_has_mapped(void **state)
{
	struct module_files files = { 0 };
	struct mappings maps;
	struct stat st;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	files.files = calloc(1, sizeof *files.files);
	assert_non_null(files.files);
	files.files[0] = (struct module_file){ .ino = st.st_ino, .path = strdup("/lib"), .fd = -1 };
	files.n = files.cap = 1;
	assert_int_equal(mappings_read(getpid(), &files, &maps), 0);
	const uint32_t program = mappings_program(&maps, &files, getpid());
	const struct mapping *here = mappings_find(&maps, (uintptr_t)setup);
	assert_non_null(here);
	assert_int_equal(program, here->file);
	assert_int_not_equal(program, 0);
	mappings_release(&maps);
	module_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			to_new_processes_a_file_that_was_written_over_is_another, setup, teardown),
		cmocka_unit_test_setup_teardown(
			in_a_process_that_has_it_mapped_a_file_keeps_its_number, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_was_mapped_cannot_be_read_once_it_was_written_over, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_file_that_is_always_written_to_is_not_opened_for_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(the_program_is_a_file_that_its_process_has_mapped,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
