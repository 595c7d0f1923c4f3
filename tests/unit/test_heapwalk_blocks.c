/* SPDX-License-Identifier: BSD-2-Clause */
/* Which block is where on a heap. */
#include "unit/unit.h"

#include "heapwalk/blocks.h"

#define START UINT64_C(0x555500000000)

/* As in a damaged heap: there is not even an array. Found by fuzzing. */
static void where_no_chunk_was_found_there_is_none(void **state)
{
	struct heap_blocks b = { 0 };

	(void)state;
	assert_int_equal(heap_blocks_begin(&b, START, START + 4096, 0), 0);
	heap_blocks_sort(&b);
	assert_non_null(heap_blocks_piece(&b, START));
	assert_int_equal(heap_blocks_find(&b, START), HEAP_NO_CHUNK);
	assert_int_equal(heap_blocks_around(&b, START + 16), HEAP_NO_CHUNK);
	heap_blocks_release(&b);
}

static void chunks_are_found_by_their_beginnings_and_by_what_is_in_them(void **state)
{
	struct heap_blocks b = { 0 };

	(void)state;
	for (taddr piece = START; piece < START + 3 * 4096; piece += 4096) {
		assert_int_equal(heap_blocks_begin(&b, piece, piece + 4096, 0), 0);
		assert_int_equal(heap_blocks_add(&b, piece + 64, 32, HEAP_LIVE), 0);
		assert_int_equal(heap_blocks_add(&b, piece + 128, 64, HEAP_FREE), 0);
	}
	heap_blocks_sort(&b);
	for (size_t i = 0; i < 3; i++) {
		taddr piece = START + 4096 * i;

		assert_int_equal(heap_blocks_find(&b, piece + 64), 2 * i);
		assert_int_equal(heap_blocks_find(&b, piece + 128), 2 * i + 1);
		assert_int_equal(heap_blocks_find(&b, piece + 80), HEAP_NO_CHUNK);
		assert_int_equal(heap_blocks_around(&b, piece + 63), HEAP_NO_CHUNK);
		assert_int_equal(heap_blocks_around(&b, piece + 64), 2 * i);
		assert_int_equal(heap_blocks_around(&b, piece + 95), 2 * i);
		assert_int_equal(heap_blocks_around(&b, piece + 96), HEAP_NO_CHUNK);
		assert_int_equal(heap_blocks_around(&b, piece + 191), 2 * i + 1);
		assert_int_equal(heap_blocks_around(&b, piece + 192), HEAP_NO_CHUNK);
	}
	assert_int_equal(heap_blocks_find(&b, START - 16), HEAP_NO_CHUNK);
	assert_int_equal(heap_blocks_find(&b, START + 3 * 4096), HEAP_NO_CHUNK);
	heap_blocks_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_no_chunk_was_found_there_is_none),
		cmocka_unit_test(chunks_are_found_by_their_beginnings_and_by_what_is_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
