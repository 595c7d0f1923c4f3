/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwinding tables, as the agent finds them in the program's memory. */
#include "unit/unit.h"

#include "fast/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THERE UINT64_C(0x7f0000001000)

static _Alignas(16) uint8_t memory[65536];

static struct placed_rows begin(size_t size)
{
	memset(memory, 0, sizeof memory);
	return (struct placed_rows){ .here = memory, .there = THERE, .size = size };
}

/* What the program would read there. */
static const void *here(const struct placed_rows *t, taddr there, size_t bytes)
{
	assert_in_range(there, THERE, THERE + t->used);
	assert_true(there - THERE + bytes <= t->used);
	assert_int_equal(there % 8, 0);
	return t->here + (there - THERE);
}

/* Code of @functions functions of 100 bytes, whose rows have their numbers. */
static struct cfi_rows make_rows(unsigned functions)
{
	struct cfi_rows rows;

	assert_int_equal(rows_init(&rows, 0x1000, 0x1000 + functions * 100), 0);
	for (unsigned i = 0; i < functions; i++)
		assert_int_equal(rows_put(&rows, 0x1000 + i * 100, (struct cfi_code){
					 (uint16_t)(i + 1), UNWIND_FP_KEPT }), 0);
	assert_int_equal(rows_finish(&rows), 0);
	return rows;
}

/* Each byte of the code has the row that it was given, by what stands there alone. */
static void finds_all(const struct placed_rows *t, const struct agent_module *m, unsigned functions)
{
	unsigned blocks = ((functions * 100 - 1) >> m->shift) + 1;
	const uint32_t *index = here(t, m->index, (blocks + 1) * sizeof *index);
	const struct unwind_row *rows = here(t, m->rows, functions * sizeof *rows);

	for (uint32_t at = 0; at < functions * 100; at++)
		assert_int_equal(unwind_row_find(rows, index, (unsigned)m->shift, at)->cfa,
				 at / 100 + 1);
}

static void rows_are_found_where_the_program_has_them(void **state)
{
	struct placed_rows t = begin(sizeof memory);
	struct cfi_rows few = make_rows(1), many = make_rows(77);
	struct agent_module a, b;

	(void)state;
	assert_int_equal(placed_rows_put(&t, &few, &a), 0);
	assert_int_equal(placed_rows_put(&t, &many, &b), 0);
	finds_all(&t, &a, 1);
	finds_all(&t, &b, 77);
	cfirows_release(&few);
	cfirows_release(&many);
	placed_rows_release(&t);
}

static void rows_of_a_file_are_written_once(void **state)
{
	struct placed_rows t = begin(sizeof memory);
	struct cfi_rows rows = make_rows(20), others = make_rows(30);
	struct agent_module first = { .lo = 1, .hi = 2 }, again = { .lo = 3, .hi = 4 }, other;

	(void)state;
	assert_int_equal(placed_rows_put_file(&t, 5, &rows, &first), 0);
	size_t used = t.used;
	assert_int_equal(placed_rows_put_file(&t, 5, &rows, &again), 0);
	assert_int_equal(t.used, used);
	assert_int_equal(again.rows, first.rows);
	assert_int_equal(again.index, first.index);
	/* Where it is mapped is the caller's. */
	assert_int_equal(again.lo, 3);
	assert_int_equal(again.hi, 4);
	assert_int_equal(placed_rows_put_file(&t, 2, &others, &other), 0);
	assert_true(t.used > used);
	finds_all(&t, &again, 20);
	finds_all(&t, &other, 30);
	cfirows_release(&rows);
	cfirows_release(&others);
	placed_rows_release(&t);
}

static void a_list_has_its_number_and_its_modules(void **state)
{
	struct placed_rows t = begin(sizeof memory);
	const struct agent_module v[] = { { .lo = 10, .hi = 20, .shift = 8 },
					  { .lo = 30, .hi = 40, .shift = 9 } };
	taddr first, none, second;

	(void)state;
	assert_int_equal(placed_rows_put_list(&t, v, 1, &first), 0);
	assert_int_equal(placed_rows_put_list(&t, NULL, 0, &none), 0);
	assert_int_equal(placed_rows_put_list(&t, v, 2, &second), 0);
	/* What somebody may be reading stays as it was. */
	const struct agent_modules *list = here(&t, first, sizeof *list + sizeof *v);
	assert_int_equal(list->n, 1);
	assert_memory_equal(list->v, v, sizeof *v);
	list = here(&t, none, sizeof *list);
	assert_int_equal(list->n, 0);
	list = here(&t, second, sizeof *list + sizeof v);
	assert_int_equal(list->n, 2);
	assert_memory_equal(list->v, v, sizeof v);
	placed_rows_release(&t);
}

static void where_there_is_no_room_nothing_is_written(void **state)
{
	struct cfi_rows rows = make_rows(20);
	struct agent_module m;
	taddr at;

	(void)state;
	/* All sizes but the one that is enough. */
	struct placed_rows whole = begin(sizeof memory);
	assert_int_equal(placed_rows_put(&whole, &rows, &m), 0);
	for (size_t size = 0; size < whole.used; size += 8) {
		struct placed_rows t = begin(size);

		assert_int_equal(placed_rows_put_file(&t, 0, &rows, &m), -ENOSPC);
		assert_int_equal(t.used, 0);
		for (size_t i = size; i < sizeof memory; i++)
			assert_int_equal(memory[i], 0);
		placed_rows_release(&t);
	}
	struct placed_rows t = begin(whole.used);
	assert_int_equal(placed_rows_put_file(&t, 0, &rows, &m), 0);
	assert_int_equal(placed_rows_put_list(&t, NULL, 0, &at), -ENOSPC);
	/* What is there already needs no room. */
	assert_int_equal(placed_rows_put_file(&t, 0, &rows, &m), 0);
	placed_rows_release(&t);
	cfirows_release(&rows);
}

static void what_is_full_begins_again_and_everything_is_written_anew(void **state)
{
	struct cfi_rows rows = make_rows(20);
	struct agent_module m, again;

	(void)state;
	struct placed_rows t = begin(1024);
	assert_int_equal(placed_rows_put_file(&t, 7, &rows, &m), 0);
	assert_false(t.full);
	for (uint32_t i = 0; !placed_rows_put_file(&t, i, &rows, &again); i++)
		assert_true(i < 100);
	assert_true(t.full);
	placed_rows_clear(&t);
	assert_false(t.full);
	assert_int_equal(t.used, 0);
	for (size_t i = 0; i < 1024; i++)
		assert_int_equal(memory[i], 0);
	assert_int_equal(placed_rows_put_file(&t, 3, &rows, &again), 0);
	assert_int_equal(again.rows, THERE);
	finds_all(&t, &again, 20);
	placed_rows_release(&t);
	cfirows_release(&rows);
}

static void a_file_is_read_once_and_one_that_is_none_has_no_rows(void **state)
{
	struct module_file v[] = { { .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC) },
				   { .fd = -1 },
				   { .fd = open("/dev/null", O_RDONLY | O_CLOEXEC) } };
	const struct module_files files = { .files = v, .n = 3 };
	struct table_files t = { 0 };

	(void)state;
	const struct cfi_rows *own = table_file(&t, &files, 0);
	assert_non_null(own);
	assert_true(own->n > 100);
	const struct unwind_row *rows = own->v;
	/* Asked for others in between, whose numbers are larger. */
	for (uint32_t i = 1; i < 3; i++) {
		const struct cfi_rows *none = table_file(&t, &files, i);

		assert_non_null(none);
		assert_int_equal(none->n, 0);
	}
	assert_ptr_equal(table_file(&t, &files, 0)->v, rows);
	table_files_release(&t);
	assert_int_equal(t.n, 0);
	for (size_t i = 0; i < 3; i++)
		if (v[i].fd >= 0)
			close(v[i].fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_where_the_program_has_them),
		cmocka_unit_test(rows_of_a_file_are_written_once),
		cmocka_unit_test(a_list_has_its_number_and_its_modules),
		cmocka_unit_test(where_there_is_no_room_nothing_is_written),
		cmocka_unit_test(what_is_full_begins_again_and_everything_is_written_anew),
		cmocka_unit_test(a_file_is_read_once_and_one_that_is_none_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
