/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a stack may be in a program's memory. */
#include "unit/unit.h"

#include "fast/ranges.h"

#include <signal.h>
#include <stdlib.h>

static void add(struct ranges *r, taddr start, taddr end, const char *rights, const char *path)
{
	const struct proc_map m = { .start = start, .end = end, .readable = rights[0] == 'r',
				    .writable = rights[1] == 'w', .executable = rights[2] == 'x',
				    .path = path };

	assert_int_equal(ranges_add(r, &m), 0);
}

static void is(const struct ranges *r, size_t i, taddr lo, taddr hi)
{
	assert_true(i < r->n);
	assert_int_equal(r->v[i].lo, lo);
	assert_int_equal(r->v[i].hi, hi);
}

static void what_cannot_be_read_or_written_is_none(void **state)
{
	struct ranges r = { .stack_limit = 1 << 20 };

	(void)state;
	add(&r, 0x1000, 0x2000, "r--", "/bin/p");
	add(&r, 0x2000, 0x3000, "r-x", "/bin/p");
	add(&r, 0x3000, 0x4000, "---", "");
	assert_int_equal(r.n, 0);
	add(&r, 0x5000, 0x6000, "rw-", "");
	assert_int_equal(r.n, 1);
	is(&r, 0, 0x5000, 0x6000);
	free(r.v);
}

static void neighbours_are_one_range_unless_they_are_wanted_apart(void **state)
{
	struct ranges r = { 0 }, apart = { .apart = true };

	(void)state;
	for (taddr at = 0x5000; at < 0x8000; at += 0x1000) {
		add(&r, at, at + 0x1000, "rw-", at == 0x5000 ? "/bin/p" : "");
		add(&apart, at, at + 0x1000, "rw-", at == 0x5000 ? "/bin/p" : "");
	}
	add(&r, 0x9000, 0xa000, "rw-", "");
	assert_int_equal(r.n, 2);
	is(&r, 0, 0x5000, 0x8000);
	is(&r, 1, 0x9000, 0xa000);
	assert_int_equal(apart.n, 3);
	is(&apart, 2, 0x7000, 0x8000);
	free(r.v);
	free(apart.v);
}

static void the_first_stack_may_be_as_large_as_it_may_grow(void **state)
{
	struct ranges r = { .stack_limit = 0x10000 };

	(void)state;
	add(&r, 0x100000, 0x101000, "r--", "");
	add(&r, 0x200000, 0x203000, "rw-", "[stack]");
	assert_int_equal(r.n, 1);
	is(&r, 0, 0x1f3000, 0x203000);
	free(r.v);
}

static void it_ends_where_something_else_is(void **state)
{
	struct ranges r = { .stack_limit = 0x10000 }, none = { .stack_limit = UINT64_MAX };

	(void)state;
	add(&r, 0x1f0000, 0x1ff000, "rw-", "");
	add(&r, 0x1ff000, 0x200000, "---", "");
	add(&r, 0x200000, 0x203000, "rw-", "[stack]");
	is(&r, 0, 0x1f0000, 0x1ff000);
	is(&r, 1, 0x200000, 0x203000);
	add(&none, 0x1f0000, 0x1ff000, "rw-", "");
	add(&none, 0x200000, 0x203000, "rw-", "[stack]");
	is(&none, 0, 0x1f0000, 0x1ff000);
	is(&none, 1, 0x1ff000, 0x203000);
	free(r.v);
	free(none.v);
}

static void one_that_is_larger_than_it_may_be_now_is_whole(void **state)
{
	struct ranges r = { .stack_limit = 0x1000 };

	(void)state;
	add(&r, 0x200000, 0x203000, "rw-", "[stack]");
	is(&r, 0, 0x200000, 0x203000);
	free(r.v);
}

static void a_blocked_or_ignored_fault_would_show(void **state)
{
	struct proc_status s = { .caught = UINT64_MAX };

	(void)state;
	assert_false(ranges_faults_show(&s));
	s.blocked = ~(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1));
	assert_false(ranges_faults_show(&s));
	s.blocked = 1ull << (SIGBUS - 1);
	assert_true(ranges_faults_show(&s));
	s.blocked = 0;
	s.ignored = 1ull << (SIGSEGV - 1);
	assert_true(ranges_faults_show(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_read_or_written_is_none),
		cmocka_unit_test(neighbours_are_one_range_unless_they_are_wanted_apart),
		cmocka_unit_test(the_first_stack_may_be_as_large_as_it_may_grow),
		cmocka_unit_test(it_ends_where_something_else_is),
		cmocka_unit_test(one_that_is_larger_than_it_may_be_now_is_whole),
		cmocka_unit_test(a_blocked_or_ignored_fault_would_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
