/* SPDX-License-Identifier: BSD-2-Clause */
#include "still/pieces.h"

#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, SIZE = 40 << 20, HOLE = 21 << 20 };

static uint64_t *words;

/* A process in which each word of @words says where it is, without the page at HOLE. */
static pid_t begin_child(void)
{
	int ready[2];
	char c;

	words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(words != MAP_FAILED);
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (uint64_t i = 0; i < SIZE / sizeof *words; i++)
			words[i] = ~i;
		munmap((char *)words + HOLE, PAGE);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	munmap(words, SIZE);
}

static void check(const uint64_t *copy, uint64_t from, uint64_t to)
{
	for (uint64_t i = from / sizeof *copy; i < to / sizeof *copy; i++)
		if (copy[i] != ~i)
			fail_msg("word %lu is %lx", i, copy[i]);
}

/* All of the memory, whichever process copied it; what is behind the hole in a second turn. */
static void as_many_as_there_are_copy_the_same(void **state)
{
	pid_t pid = begin_child();

	(void)state;
	for (unsigned threads = 0; threads <= 5; threads++) {
		struct pieces p = {0}, rest = {0};
		uint64_t *copy = calloc(1, SIZE);

		assert_non_null(copy);
		assert_int_equal(pieces_add(&p, (uintptr_t)words, SIZE, (uint8_t *)copy), 0);
		assert_true(p.n > 16);
		assert_int_equal(pieces_copy(&p, pid, -1, threads, UINT64_MAX), 0);
		for (size_t i = 0; i < p.n; i++)
			assert_int_equal(pieces_add_rest(&rest, &p.v[i], PAGE), 0);
		check(copy, 0, HOLE);
		assert_int_equal(rest.n, 1);
		assert_int_equal(rest.v[0].at, (uintptr_t)words + HOLE + PAGE);
		assert_int_equal(pieces_copy(&rest, pid, -1, threads, UINT64_MAX), 0);
		assert_int_equal(rest.v[0].got, rest.v[0].size);
		check(copy, HOLE + PAGE, SIZE);
		assert_int_equal(copy[HOLE / sizeof *copy], 0);
		pieces_release(&p);
		pieces_release(&rest);
		free(copy);
	}
	end_child(pid);
}

static void nothing_is_begun_when_the_time_is_over(void **state)
{
	struct pieces p = {0};
	uint8_t *copy = calloc(1, SIZE);
	pid_t pid = begin_child();

	(void)state;
	assert_non_null(copy);
	assert_int_equal(pieces_add(&p, (uintptr_t)words, SIZE, copy), 0);
	assert_int_equal(pieces_copy(&p, pid, -1, 2, 0), -ETIME);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.v[i].got, 0);
	pieces_release(&p);
	free(copy);
	end_child(pid);
}

static void what_is_behind_an_unreadable_page_is_another_piece(void **state)
{
	struct piece last = {.at = 0x10000, .size = 3 * PAGE, .got = 2 * PAGE};
	last.to = (uint8_t *)0x5000;
	struct piece first = last, whole = last;
	struct pieces rest = {0};

	(void)state;
	first.got = 100;
	whole.got = whole.size;
	assert_int_equal(pieces_add_rest(&rest, &last, PAGE), 0);
	assert_int_equal(pieces_add_rest(&rest, &whole, PAGE), 0);
	assert_int_equal(rest.n, 0);
	assert_int_equal(pieces_add_rest(&rest, &first, PAGE), 0);
	assert_int_equal(rest.n, 1);
	assert_int_equal(rest.v[0].at, 0x11000);
	assert_int_equal(rest.v[0].size, 2 * PAGE);
	assert_ptr_equal(rest.v[0].to, (uint8_t *)0x6000);
	pieces_release(&rest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_there_are_copy_the_same),
		cmocka_unit_test(nothing_is_begun_when_the_time_is_over),
		cmocka_unit_test(what_is_behind_an_unreadable_page_is_another_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
