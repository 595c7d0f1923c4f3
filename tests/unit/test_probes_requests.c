/* SPDX-License-Identifier: BSD-2-Clause */
/* Valgrind's client requests in code, and pools whose blocks are freed together. */
#include "unit/unit.h"
#include "arch/arch.h"
#include "breakpoints/pools.h"
#include "probes/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void requests_about_blocks_are_told_from_others(void **state)
{
	struct request q;

	(void)state;
	assert_true(request_decode((uint64_t[]){ 0x1301, 0x1000, 77, 16, 1, 0 }, &q));
	assert_int_equal(q.kind, PROBE_MALLOCLIKE);
	assert_int_equal(q.ptr, 0x1000);
	assert_int_equal(q.size, 77);
	assert_true(request_decode((uint64_t[]){ 0x1302, 0x1000, 16, 0, 0, 0 }, &q));
	assert_int_equal(q.kind, PROBE_FREELIKE);
	assert_int_equal(q.ptr, 0x1000);
	assert_true(request_decode((uint64_t[]){ 0x130b, 0x1000, 77, 99, 16, 0 }, &q));
	assert_int_equal(q.kind, PROBE_RESIZELIKE);
	assert_int_equal(q.size, 99);
	assert_false(request_decode((uint64_t[]){ 0x1001, 0x1000, 77, 0, 0, 0 }, &q));
	assert_false(request_decode((uint64_t[]){ UINT64_MAX, 0, 0, 0, 0, 0 }, &q));
}

struct seen {
	uint64_t at[16];
	size_t n;
};

static int see(void *ctx, uint64_t at)
{
	struct seen *s = ctx;

	assert_true(s->n < 16);
	s->at[s->n++] = at;
	return s->n == 5 ? -7 : 0;
}

static int file_with(const uint64_t *at, size_t n, uint64_t size)
{
	char path[] = "/tmp/test_requests.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pwrite(fd, arch_request, arch_request_size, (off_t)at[i]),
				 arch_request_size);
	return fd;
}

/* Code is read in pieces of 256 KiB. */
static void they_are_found_wherever_a_piece_ends(void **state)
{
	const uint64_t piece = 1 << 18;

	(void)state;
	for (uint64_t shift = 0; shift <= arch_request_size + 1; shift++) {
		const uint64_t at[] = { 0, piece - shift, 3 * piece - arch_request_size };
		struct seen s = { .n = 0 };
		int fd = file_with(at, 3, 3 * piece);

		assert_int_equal(requests_find(fd, 0, 3 * piece, see, &s), 0);
		assert_int_equal(s.n, 3);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(s.at[i], at[i] + arch_request_trap);
		close(fd);
	}
}

static void only_the_range_is_searched_and_the_search_can_be_ended(void **state)
{
	const uint64_t at[] = { 10, 50, 100, 150, 200, 250, 300 };
	struct seen s = { .n = 0 };
	int fd = file_with(at, 7, 1000);

	(void)state;
	assert_int_equal(requests_find(fd, 11, 139 + arch_request_size - 1, see, &s), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.at[0], 50 - 11 + arch_request_trap);
	s.n = 0;
	assert_int_equal(requests_find(fd, 0, 1000, see, &s), -7);
	assert_int_equal(s.n, 5);
	/* More than the file has, and less than one. */
	s.n = 0;
	assert_int_equal(requests_find(fd, 290, UINT64_MAX, see, &s), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(requests_find(fd, 10, arch_request_size - 1, see, &s), 0);
	assert_int_equal(requests_find(-1, 0, 1000, see, &s), 0);
	assert_int_equal(s.n, 1);
	close(fd);
}

static void a_pool_gives_back_its_own_blocks_each_once(void **state)
{
	struct pools p = { 0 }, child = { 0 };

	(void)state;
	for (taddr i = 1; i <= 100; i++)
		for (taddr pool = 1; pool <= 50; pool++)
			assert_int_equal(pools_put(&p, pool << 12, pool << 32 | i), 0);
	assert_int_equal(pools_copy(&child, &p), 0);
	for (taddr i = 100; i >= 1; i--)
		assert_int_equal(pools_take(&p, 7 << 12), (taddr)7 << 32 | i);
	assert_int_equal(pools_take(&p, 7 << 12), 0);
	assert_int_equal(pools_take(&p, 99 << 12), 0);
	assert_int_equal(pools_put(&p, 7 << 12, 4711), 0);
	assert_int_equal(pools_take(&p, 7 << 12), 4711);
	assert_int_equal(pools_take(&child, 7 << 12), (taddr)7 << 32 | 100);
	pools_release(&p);
	pools_release(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_about_blocks_are_told_from_others),
		cmocka_unit_test(they_are_found_wherever_a_piece_ends),
		cmocka_unit_test(only_the_range_is_searched_and_the_search_can_be_ended),
		cmocka_unit_test(a_pool_gives_back_its_own_blocks_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
