/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "proc/file.h"
#include "proc/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)
#define FILE_PAGE (UINT64_C(1) << 61)

enum { PAGE = 4096 };

struct seen {
	struct page_range v[16];
	size_t n;
};

static int see(const struct page_range *r, void *ctx)
{
	struct seen *s = ctx;

	assert_true(s->n < 16);
	s->v[s->n++] = *r;
	return 0;
}

static void pages_that_are_alike_are_one_range(void **state)
{
	const uint64_t words[] = {0, PRESENT | 5, PRESENT | 9, SWAPPED, 0, 0, PRESENT};
	struct seen s = {0};

	(void)state;
	assert_int_equal(pagemap_each_word(words, 7, 0x10000, see, &s), 0);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.v[0].start, 0x11000);
	assert_int_equal(s.v[0].end, 0x13000);
	assert_false(s.v[0].swapped);
	assert_int_equal(s.v[1].start, 0x13000);
	assert_true(s.v[1].swapped);
	assert_int_equal(s.v[2].end, 0x17000);
}

static void pages_of_files_are_apart(void **state)
{
	const uint64_t words[] = {PRESENT, PRESENT | FILE_PAGE, PRESENT | FILE_PAGE, PRESENT};
	struct seen s = {0};

	(void)state;
	assert_int_equal(pagemap_each_word(words, 4, 0x10000, see, &s), 0);
	assert_int_equal(s.n, 3);
	assert_false(s.v[0].file);
	assert_true(s.v[1].file);
	assert_int_equal(s.v[1].start, 0x11000);
	assert_int_equal(s.v[1].end, 0x13000);
	assert_false(s.v[2].file);
}

static int refuse(const struct page_range *r, void *ctx)
{
	(void)r;
	++*(int *)ctx;
	return -EINTR;
}

static void whoever_has_enough_ends_the_reading(void **state)
{
	const uint64_t words[] = {PRESENT, 0, PRESENT};
	int calls = 0;

	(void)state;
	assert_int_equal(pagemap_each_word(words, 3, 0, refuse, &calls), -EINTR);
	assert_int_equal(calls, 1);
}

/* Of this process: six pages, of which the second was read and the fourth written. */
static void pages_of_a_process_are_told(void **state)
{
	char *at = mmap(NULL, 6 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = proc_open(getpid(), "pagemap", O_RDONLY);
	uint64_t start = (uintptr_t)at;
	struct seen s = {0};
	bool zeros;

	(void)state;
	assert_true(at != MAP_FAILED && fd >= 0);
	madvise(at, 6 * PAGE, MADV_NOHUGEPAGE);
	assert_int_equal(*(volatile char *)(at + PAGE), 0);
	at[3 * PAGE] = 1;
	assert_int_equal(pagemap_each(fd, start, start + 6 * PAGE, &zeros, see, &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.v[0].start, start + PAGE);
	assert_int_equal(s.v[0].end, start + 2 * PAGE);
	assert_int_equal(s.v[0].zero, zeros);
	assert_int_equal(s.v[1].start, start + 3 * PAGE);
	assert_false(s.v[1].zero);
	if (!zeros)
		print_message("# this kernel does not tell which pages are pages of zeros\n");
	close(fd);
	munmap(at, 6 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_that_are_alike_are_one_range),
		cmocka_unit_test(pages_of_files_are_apart),
		cmocka_unit_test(whoever_has_enough_ends_the_reading),
		cmocka_unit_test(pages_of_a_process_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
