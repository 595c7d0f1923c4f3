/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "heapprofile/mapped.h"

#define PAGE 4096u

static uint64_t number;

/* One call after the other. */
static struct page_event event(enum page_event_kind kind, taddr at, uint64_t len)
{
	number += 2;
	return (struct page_event){ .kind = kind,
				    .at = at,
				    .len = len,
				    .begun = number - 1,
				    .number = number };
}

static void does(struct mapped *m, struct page_event e, uint32_t node)
{
	assert_int_equal(mapped_event(m, &e, node, false), 0);
}

static void map(struct mapped *m, taddr at, uint64_t len, uint32_t node)
{
	does(m, event(PE_MAP, at, len), node);
}

static void unmap(struct mapped *m, taddr at, uint64_t len)
{
	does(m, event(PE_UNMAP, at, len), 99);
}

static void assert_counts(const struct mapped *m, uint32_t node, int64_t used, int64_t used_bytes,
			  int64_t allocs, int64_t bytes)
{
	for (size_t i = 0; i < m->counts.n; i++) {
		const struct stack *s = &m->counts.stacks[i];

		if (m->counts.elements[s->first] != node)
			continue;
		assert_int_equal(s->value[INUSE_OBJECTS], used);
		assert_int_equal(s->value[INUSE_SPACE], used_bytes);
		assert_int_equal(s->value[ALLOC_OBJECTS], allocs);
		assert_int_equal(s->value[ALLOC_SPACE], bytes);
		return;
	}
	assert_int_equal(allocs, 0);
}

static void a_region_freed_in_parts_is_an_object_until_the_last(void **state)
{
	struct mapped m = { 0 };

	(void)state;
	map(&m, 0x10000, 4 * PAGE, 5);
	assert_counts(&m, 5, 1, 4 * PAGE, 1, 4 * PAGE);
	unmap(&m, 0x10000 + PAGE, PAGE);
	assert_counts(&m, 5, 1, 3 * PAGE, 1, 4 * PAGE);
	unmap(&m, 0x10000, PAGE);
	unmap(&m, 0x10000, 3 * PAGE); /* of which one is left */
	assert_counts(&m, 5, 1, PAGE, 1, 4 * PAGE);
	unmap(&m, 0, 0x100000);
	assert_counts(&m, 5, 0, 0, 1, 4 * PAGE);
	mapped_release(&m);
}

static void lengths_are_as_told_and_pages_go_whole(void **state)
{
	struct mapped m = { 0 };

	(void)state;
	map(&m, 0x10000, PAGE + 1, 5);
	unmap(&m, 0x10000 + PAGE, 1);
	assert_counts(&m, 5, 1, PAGE, 1, PAGE + 1);
	unmap(&m, 0x10000, 10);
	assert_counts(&m, 5, 0, 0, 1, PAGE + 1);
	mapped_release(&m);
}

static void what_is_mapped_over_is_gone(void **state)
{
	struct mapped m = { 0 };

	(void)state;
	map(&m, 0x10000, 4 * PAGE, 5);
	map(&m, 0x10000 + PAGE, PAGE, 6);
	assert_counts(&m, 5, 1, 3 * PAGE, 1, 4 * PAGE);
	assert_counts(&m, 6, 1, PAGE, 1, PAGE);
	mapped_release(&m);
}

static void a_remap_is_a_free_and_an_allocation(void **state)
{
	struct mapped m = { 0 };

	(void)state;
	map(&m, 0x10000, 4 * PAGE, 5);
	struct page_event e = event(PE_REMAP, 0x10000, 6 * PAGE); /* in place */
	e.old = 0x10000;
	e.old_len = 4 * PAGE;
	does(&m, e, 7);
	assert_counts(&m, 5, 0, 0, 1, 4 * PAGE);
	assert_counts(&m, 7, 1, 6 * PAGE, 1, 6 * PAGE);
	e = event(PE_REMAP_KEEP, 0x90000, 2 * PAGE);
	e.old = 0x10000;
	e.old_len = 2 * PAGE;
	does(&m, e, 8);
	assert_counts(&m, 7, 1, 6 * PAGE, 1, 6 * PAGE);
	assert_counts(&m, 8, 1, 2 * PAGE, 1, 2 * PAGE);
	mapped_release(&m);
}

static void the_break_goes_up_and_down(void **state)
{
	struct mapped m = { 0 };

	(void)state;
	does(&m, event(PE_BREAK, 0x50000, 0), 5); /* asked where it is */
	assert_counts(&m, 5, 0, 0, 0, 0);
	does(&m, event(PE_BREAK, 0x50100, 0), 5);
	does(&m, event(PE_BREAK, 0x50200, 0), 6);
	does(&m, event(PE_BREAK, 0x50180, 0), 6);
	assert_counts(&m, 6, 1, 0x80, 1, 0x100);
	does(&m, event(PE_BREAK, 0x50000, 0), 6);
	assert_counts(&m, 5, 0, 0, 1, 0x100);
	assert_counts(&m, 6, 0, 0, 1, 0x100);
	mapped_release(&m);
}

static void what_began_before_does_not_unmap_what_came_meanwhile(void **state)
{
	struct mapped m = { 0 };
	struct page_event e = event(PE_UNMAP, 0x10000, PAGE);

	(void)state;
	map(&m, 0x10000, PAGE, 5); /* another thread got the place before the first has heard */
	does(&m, e, 6);
	assert_counts(&m, 5, 1, PAGE, 1, PAGE);
	mapped_release(&m);
}

static void a_copy_goes_its_own_way(void **state)
{
	struct mapped m = { 0 }, copy = { 0 };

	(void)state;
	map(&m, 0x10000, 4 * PAGE, 5);
	assert_int_equal(mapped_copy(&copy, &m), 0);
	unmap(&copy, 0x10000, 4 * PAGE);
	assert_counts(&copy, 5, 0, 0, 1, 4 * PAGE);
	assert_counts(&m, 5, 1, 4 * PAGE, 1, 4 * PAGE);
	mapped_release(&copy);
	mapped_release(&m);
}

static void regions_that_come_and_go_take_no_more_memory(void **state)
{
	struct mapped m = { 0 }, copy = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		map(&m, 0x10000, 4 * PAGE, 5);
		map(&m, 0x90000, PAGE, 6);
		unmap(&m, 0x10000 + PAGE, PAGE);
		unmap(&m, 0x10000, 4 * PAGE);
		unmap(&m, 0x90000, PAGE);
	}
	assert_true(m.n_objects <= 2);
	assert_int_equal(mapped_copy(&copy, &m), 0);
	map(&copy, 0x10000, PAGE, 7);
	map(&copy, 0x20000, PAGE, 8);
	map(&copy, 0x30000, PAGE, 9);
	unmap(&copy, 0x20000, PAGE);
	assert_true(copy.n_objects <= 3);
	assert_counts(&copy, 5, 0, 0, 1000, 4000 * PAGE);
	assert_counts(&copy, 7, 1, PAGE, 1, PAGE);
	assert_counts(&copy, 8, 0, 0, 1, PAGE);
	assert_counts(&copy, 9, 1, PAGE, 1, PAGE);
	mapped_release(&copy);
	mapped_release(&m);
}

static void strange_lengths_do_no_harm(void **state)
{
	struct mapped m = { 0 };

	(void)state;
	map(&m, 0x10000, 0, 5);
	map(&m, UINT64_MAX - 10, PAGE, 5);
	unmap(&m, UINT64_MAX, UINT64_MAX);
	map(&m, 0x10000, PAGE, 5);
	unmap(&m, 0, UINT64_MAX);
	assert_counts(&m, 5, 1, PAGE, 1, PAGE); /* the kernel would have refused that */
	mapped_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_freed_in_parts_is_an_object_until_the_last),
		cmocka_unit_test(lengths_are_as_told_and_pages_go_whole),
		cmocka_unit_test(what_is_mapped_over_is_gone),
		cmocka_unit_test(a_remap_is_a_free_and_an_allocation),
		cmocka_unit_test(the_break_goes_up_and_down),
		cmocka_unit_test(what_began_before_does_not_unmap_what_came_meanwhile),
		cmocka_unit_test(a_copy_goes_its_own_way),
		cmocka_unit_test(regions_that_come_and_go_take_no_more_memory),
		cmocka_unit_test(strange_lengths_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
