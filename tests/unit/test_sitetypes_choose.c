/* SPDX-License-Identifier: BSD-2-Clause */
/* Which candidates remain once the requested sizes are known. */
#include "unit/unit.h"

#include "sitetypes/choose.h"

enum { SET_A = 1, SET_B = 2 };

/* The last members of a candidate: nothing was seen of a part, and more may follow; or not. */
#define C_TYPE false, true, false, false
#define BYTES false, true, true, false
#define CXX_TYPE false, false, false, false
#define CXX_PART true, false, false, false

static struct site_choice choose(const struct site_evidence *e, uint64_t size)
{
	return site_choose(e, &size, 1);
}

static void test_one(void **state)
{
	(void)state;
	struct site_evidence e = {.v = {{"A", 48, FLOW_MEMBER, 0, C_TYPE}}, .n = 1};
	struct site_choice c = choose(&e, 48);

	assert_int_equal(c.set, SET_A);
	assert_true(c.certain);
	assert_int_equal(c.how, FLOW_MEMBER);
	/* Of any size: it may have more behind it. */
	assert_true(choose(&e, 60).certain);
	e.too_many = true;
	assert_false(choose(&e, 48).certain);
}

static void test_none(void **state)
{
	(void)state;
	struct site_evidence e = {0};
	struct site_choice c = choose(&e, 48);

	assert_int_equal(c.set, 0);
	assert_false(c.certain);
}

static void test_by_size(void **state)
{
	(void)state;
	struct site_evidence e = {.v = {{"A", 48, FLOW_RETURNED, 0, C_TYPE},
					{"B", 24, FLOW_VARIABLE, 0, C_TYPE}},
				  .n = 2};
	const uint64_t both[] = {24, 48};

	assert_int_equal(choose(&e, 48).set, SET_A);
	assert_int_equal(choose(&e, 48).how, FLOW_RETURNED);
	assert_int_equal(choose(&e, 24).set, SET_B);
	/* What is larger is not in it. */
	assert_int_equal(choose(&e, 40).set, SET_B);
	assert_int_equal(choose(&e, 96).set, SET_A | SET_B);
	assert_false(choose(&e, 96).certain);
	/* A size of which neither is the only one. */
	assert_int_equal(site_choose(&e, both, 2).set, SET_B);
	/* Both are larger: nobody knows. */
	assert_int_equal(choose(&e, 8).set, SET_A | SET_B);
	assert_int_equal(site_choose(&e, NULL, 0).set, SET_A | SET_B);
}

static void test_a_part_is_not_the_whole(void **state)
{
	(void)state;
	struct site_evidence e = {
		.v = {{"base", 16, FLOW_VARIABLE, SET_B, C_TYPE},
		      {"derived", 40, FLOW_RETURNED, 0, C_TYPE}},
		.n = 2};

	assert_int_equal(choose(&e, 64).set, SET_B);
	/* A base alone may be asked for, too. */
	assert_int_equal(choose(&e, 16).set, SET_A);
	/* Damaged data may say that two begin with each other. */
	e.v[1].begins = SET_A;
	assert_int_equal(choose(&e, 64).set, SET_A | SET_B);
}

static void test_what_has_no_size(void **state)
{
	(void)state;
	struct site_evidence e = {
		.v = {{"declared", 0, FLOW_VARIABLE, 0, C_TYPE},
		      {"B", 24, FLOW_RETURNED, 0, C_TYPE}},
		.n = 2};

	assert_int_equal(choose(&e, 24).set, SET_B);
	assert_int_equal(choose(&e, 30).set, SET_A | SET_B);
}

static void test_arrays(void **state)
{
	(void)state;
	const struct site_candidate c = {"A", 8, FLOW_VARIABLE, 0, C_TYPE},
				    bytes = {"bytes", 1, 0, 0, BYTES},
				    flag = {"bool", 1, 0, 0, C_TYPE},
				    unknown = {"B", 0, 0, 0, C_TYPE};
	const uint64_t sizes[] = {8, 16, 80, 12};

	assert_false(site_is_array(&c, sizes, 1));
	assert_true(site_is_array(&c, sizes, 2));
	assert_true(site_is_array(&c, sizes + 1, 1));
	assert_false(site_is_array(&c, sizes, 4));
	assert_false(site_is_array(&bytes, sizes, 2));
	/* Which is no character, and as much a type as any other. */
	assert_true(site_is_array(&flag, sizes, 1));
	assert_false(site_is_array(&unknown, sizes, 2));
}

static void test_of_cxx_all_of_a_block_is_wanted(void **state)
{
	(void)state;
	struct site_evidence e = {.v = {{"A", 24, FLOW_VARIABLE, 0, CXX_TYPE}}, .n = 1};
	const uint64_t some[] = {24, 48, 72}, odd[] = {24, 25};

	assert_int_equal(choose(&e, 24).set, SET_A);
	assert_int_equal(choose(&e, 48).set, SET_A);
	assert_int_equal(site_choose(&e, some, 3).set, SET_A);
	/* It is a base class, or a member. */
	assert_int_equal(choose(&e, 32).set, 0);
	assert_int_equal(choose(&e, 8).set, 0);
	assert_int_equal(site_choose(&e, odd, 2).set, 0);
	assert_false(choose(&e, 32).certain);
	/* Of a class that is only declared nobody knows. */
	e.v[0].size = 0;
	assert_int_equal(choose(&e, 32).set, SET_A);
}

static void test_of_cxx_a_part_is_no_array(void **state)
{
	(void)state;
	struct site_evidence e = {.v = {{"A", 24, FLOW_ARGUMENT, 0, CXX_PART},
					{"B", 0, FLOW_RETURNED, 0, CXX_PART}},
				  .n = 1};
	const uint64_t two[] = {24, 48};

	assert_int_equal(choose(&e, 24).set, SET_A);
	assert_int_equal(choose(&e, 48).set, 0);
	assert_int_equal(site_choose(&e, two, 2).set, 0);
	e.n = 2;
	assert_int_equal(choose(&e, 48).set, 0);
	/* What ends with an array may be longer, whoever has seen it. */
	e.v[0].may_go_on = true;
	assert_int_equal(choose(&e, 31).set, SET_A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_by_size),
		cmocka_unit_test(test_a_part_is_not_the_whole),
		cmocka_unit_test(test_what_has_no_size),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_of_cxx_all_of_a_block_is_wanted),
		cmocka_unit_test(test_of_cxx_a_part_is_no_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
