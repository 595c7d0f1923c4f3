/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "fast/tables.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 100, INDEX = 5 };
#define AT UINT64_C(0x7f0000001000)

static struct unwind_row rows[ROWS];
static uint32_t index_of[INDEX];

static struct table_piece piece(taddr lo)
{
	return (struct table_piece){ .lo = lo, .hi = lo + 0x1000, .rows = rows, .n_rows = ROWS,
				     .index = index_of, .n_index = INDEX, .shift = 8 };
}

static const struct agent_modules *list_in(const uint8_t *out)
{
	return (const void *)out;
}

static void pieces_lie_behind_their_list(void **state)
{
	struct table_piece p[2] = { piece(0x1000), piece(0x5000) };
	size_t size = tables_size(p, 2);
	uint8_t *out = calloc(1, size + 8);

	(void)state;
	for (unsigned i = 0; i < ROWS; i++)
		rows[i].pc = i * 16;
	for (uint32_t i = 0; i < INDEX; i++)
		index_of[i] = i * 20;
	memset(out + size, 0xa5, 8);
	tables_write(p, 2, AT, out);
	const struct agent_modules *l = list_in(out);
	assert_int_equal(l->n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(l->v[i].lo, p[i].lo);
		assert_int_equal(l->v[i].hi, p[i].hi);
		assert_int_equal(l->v[i].shift, 8);
		assert_int_equal(l->v[i].rows, p[i].rows_at);
		assert_int_equal(l->v[i].index, p[i].index_at);
		assert_memory_equal(out + (l->v[i].rows - AT), rows, sizeof rows);
		assert_memory_equal(out + (l->v[i].index - AT), index_of, sizeof index_of);
		assert_int_equal(l->v[i].rows % 8, 0);
	}
	assert_true(p[0].rows_at != p[1].rows_at);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(out[size + i], 0xa5);
	free(out);
}

static void what_is_there_already_is_not_written_again(void **state)
{
	struct table_piece p[2] = { piece(0x1000), piece(0x5000) };
	uint8_t out[4096] = { 0 };

	(void)state;
	p[0].rows_at = 0x1234560;
	p[0].index_at = 0x1234800;
	p[1].rows_at = 0x2234560;
	p[1].index_at = 0x2234800;
	/* Of a library that comes and goes a thousand times only the list is left behind. */
	size_t size = tables_size(p, 2);
	assert_int_equal(size, sizeof(struct agent_modules) + 2 * sizeof(struct agent_module));
	tables_write(p, 2, AT, out);
	assert_int_equal(list_in(out)->v[0].rows, 0x1234560);
	assert_int_equal(list_in(out)->v[1].index, 0x2234800);
	for (size_t i = size; i < sizeof out; i++)
		assert_int_equal(out[i], 0);
}

static void what_is_not_there_yet_is_written_beside_what_is(void **state)
{
	struct table_piece p[2] = { piece(0x1000), piece(0x5000) };
	uint8_t out[4096] = { 0 };

	(void)state;
	p[0].rows_at = 0x1234560;
	p[0].index_at = 0x1234800;
	assert_true(tables_size(p, 2) <= sizeof out);
	tables_write(p, 2, AT, out);
	assert_int_equal(p[0].rows_at, 0x1234560);
	assert_in_range(p[1].rows_at, AT, AT + sizeof out);
	assert_memory_equal(out + (p[1].rows_at - AT), rows, sizeof rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_lie_behind_their_list),
		cmocka_unit_test(what_is_there_already_is_not_written_again),
		cmocka_unit_test(what_is_not_there_yet_is_written_beside_what_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
