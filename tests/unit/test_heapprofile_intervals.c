/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "heapprofile/intervals.h"

static const struct heap_intervals never = { 0 };

static void nothing_is_due_without_intervals(void **state)
{
	struct heap_marks m = { 0 };
	struct heap_totals t = { 1000, UINT64_MAX / 2, 3, 4 };

	(void)state;
	assert_int_equal(heap_due(&never, &m, &t, UINT64_MAX), HEAP_NOT_DUE);
}

static void allocated_bytes_are_due_at_the_interval_and_not_before(void **state)
{
	struct heap_intervals i = { .allocated = 100 };
	struct heap_marks m = { .allocated = 50 };
	struct heap_totals t = { .allocs = 1, .alloc_bytes = 149 };

	(void)state;
	assert_int_equal(heap_due(&i, &m, &t, 0), HEAP_NOT_DUE);
	t.alloc_bytes = 150;
	assert_int_equal(heap_due(&i, &m, &t, 0), HEAP_ALLOCATED);
}

static void freed_bytes_are_due_at_the_interval_and_not_before(void **state)
{
	struct heap_intervals i = { .freed = 100 };
	struct heap_marks m = { .freed = 50 };
	struct heap_totals t = { .alloc_bytes = 1000, .free_bytes = 149 };

	(void)state;
	assert_int_equal(heap_due(&i, &m, &t, 0), HEAP_NOT_DUE);
	t.free_bytes = 150;
	assert_int_equal(heap_due(&i, &m, &t, 0), HEAP_FREED);
}

static void bytes_in_use_are_due_above_the_interval_only(void **state)
{
	struct heap_intervals i = { .in_use = 100 };
	struct heap_marks m = { .high_water = 50 };
	struct heap_totals t = { .alloc_bytes = 160, .free_bytes = 10 };

	(void)state;
	assert_int_equal(heap_due(&i, &m, &t, 0), HEAP_NOT_DUE);
	t.alloc_bytes++;
	assert_int_equal(heap_due(&i, &m, &t, 0), HEAP_IN_USE);
}

static void time_is_due_when_it_has_passed(void **state)
{
	struct heap_intervals i = { .time_ns = 100 };
	struct heap_marks m = { .time_ns = 50 };
	struct heap_totals t = { 0 };

	(void)state;
	assert_int_equal(heap_due(&i, &m, &t, 10), HEAP_NOT_DUE);
	assert_int_equal(heap_due(&i, &m, &t, 149), HEAP_NOT_DUE);
	assert_int_equal(heap_due(&i, &m, &t, 150), HEAP_TIME);
}

static void the_first_rule_that_holds_is_the_cause(void **state)
{
	struct heap_intervals i = { 1, 1, 1, 1 };
	struct heap_marks m = { 0 };
	struct heap_totals t = { 1, 100, 1, 50 };

	(void)state;
	assert_int_equal(heap_due(&i, &m, &t, 9), HEAP_ALLOCATED);
	i.allocated = 0;
	assert_int_equal(heap_due(&i, &m, &t, 9), HEAP_FREED);
	i.freed = 0;
	assert_int_equal(heap_due(&i, &m, &t, 9), HEAP_IN_USE);
	i.in_use = 0;
	assert_int_equal(heap_due(&i, &m, &t, 9), HEAP_TIME);
}

static void intervals_too_large_to_be_added_are_never_due(void **state)
{
	struct heap_intervals i = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	struct heap_marks m = { 5, 5, 5, 5 };
	struct heap_totals t = { 1, 1000, 1, 10 };

	(void)state;
	assert_int_equal(heap_due(&i, &m, &t, 1000), HEAP_NOT_DUE);
}

static void any_rule_sets_the_marks_of_bytes_and_only_the_fourth_that_of_time(void **state)
{
	struct heap_marks m = { .high_water = 500, .time_ns = 7 };
	struct heap_totals t = { 1, 400, 1, 100 };

	(void)state;
	heap_was_due(&m, &t, HEAP_FREED, 99);
	assert_int_equal(m.allocated, 400);
	assert_int_equal(m.freed, 100);
	assert_int_equal(m.high_water, 500); /* the larger */
	assert_int_equal(m.time_ns, 7);
	t.alloc_bytes = 1000;
	heap_was_due(&m, &t, HEAP_TIME, 99);
	assert_int_equal(m.high_water, 900);
	assert_int_equal(m.time_ns, 99);
}

static void assert_reason(enum heap_cause cause, const char *want)
{
	struct heap_marks m = { .time_ns = 1000000000 };
	struct heap_totals t = { 1, (5ull << 20) + 1048575, 1, 3ull << 20 };
	char text[128];

	heap_reason(text, sizeof text, cause, &m, &t, 4999999999);
	assert_string_equal(text, want);
}

static void reasons_are_those_of_gperftools(void **state)
{
	(void)state;
	assert_reason(HEAP_ALLOCATED, "5 MB allocated cumulatively, 2 MB currently in use");
	assert_reason(HEAP_FREED, "3 MB freed cumulatively, 2 MB currently in use");
	assert_reason(HEAP_IN_USE, "2 MB currently in use");
	assert_reason(HEAP_TIME, "3 sec since the last dump");
}

static void assert_exit(uint64_t bytes, const char *want)
{
	struct heap_totals t = { .alloc_bytes = bytes + 7, .free_bytes = 7 };
	char text[64];

	heap_exit_reason(text, sizeof text, &t);
	assert_string_equal(text, want);
}

static void the_last_reason_has_the_unit_that_fits(void **state)
{
	(void)state;
	assert_exit(0, "Exiting, 0 bytes in use");
	assert_exit(1023, "Exiting, 1023 bytes in use");
	assert_exit(1024, "Exiting, 1 kB in use");
	assert_exit((1 << 20) - 1, "Exiting, 1023 kB in use");
	assert_exit(1 << 20, "Exiting, 1 MB in use");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_due_without_intervals),
		cmocka_unit_test(allocated_bytes_are_due_at_the_interval_and_not_before),
		cmocka_unit_test(freed_bytes_are_due_at_the_interval_and_not_before),
		cmocka_unit_test(bytes_in_use_are_due_above_the_interval_only),
		cmocka_unit_test(time_is_due_when_it_has_passed),
		cmocka_unit_test(the_first_rule_that_holds_is_the_cause),
		cmocka_unit_test(intervals_too_large_to_be_added_are_never_due),
		cmocka_unit_test(any_rule_sets_the_marks_of_bytes_and_only_the_fourth_that_of_time),
		cmocka_unit_test(reasons_are_those_of_gperftools),
		cmocka_unit_test(the_last_reason_has_the_unit_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
