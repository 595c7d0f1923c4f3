/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stop costs, computed from what tasks do between two of them: without a task. */
#include "unit/unit.h"

#include "attach/stop_cost.h"

static struct stop_cost c;
static uint64_t now, ran;

/* From a trap to the next one of the task passes @away_ns, of which it runs for @own_ns. */
static void pass(bool ended, uint64_t own_ns, uint64_t away_ns)
{
	stop_cost_goes(&c, 7, ran, now);
	stop_cost_comes(&c, 7, ended, ran += own_ns, now += away_ns);
}

static int setup(void **state)
{
	(void)state;
	stop_cost_init(&c);
	now = ran = 1000;
	return 0;
}

static void assert_about(uint32_t value, uint32_t expected)
{
	assert_in_range(value, expected * 9 / 10, expected * 11 / 10);
}

static void it_becomes_what_a_stop_costs_here(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		pass(true, 9000, 15000);
	assert_about(c.own_ns, 9000);
	assert_about(c.away_ns, 15000);
	for (unsigned i = 0; i < 200; i++)
		pass(true, 1000, 2000);
	assert_about(c.own_ns, 1000);
	assert_about(c.away_ns, 2000);
	assert_int_equal(c.samples, 300);
}

static void what_is_rare_is_not_the_price(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 400; i++)
		pass(true, i % 4 ? 3000 : 9000000, i % 4 ? 5000 : 50000000);
	assert_about(c.own_ns, 3000);
	assert_about(c.away_ns, 5000);
}

static void only_from_the_beginning_of_a_call_to_its_end_nothing_is_done(void **state)
{
	const struct stop_cost before = c;

	(void)state;
	pass(false, 9000, 15000);
	/* Somebody else came first, or the clock of the round is an old one. */
	stop_cost_goes(&c, 7, ran, now);
	stop_cost_comes(&c, 8, true, ran + 9000, now + 15000);
	stop_cost_comes(&c, 7, true, ran + 9000, now + 15000);
	stop_cost_goes(&c, 7, ran, now);
	stop_cost_comes(&c, 7, true, ran + 9000, now);
	/* It is not told how long it ran. */
	stop_cost_goes(&c, 7, ran, now);
	stop_cost_comes(&c, 7, true, 0, now + 15000);
	assert_int_equal(c.own_ns, before.own_ns);
	assert_int_equal(c.away_ns, before.away_ns);
	assert_int_equal(c.samples, 0);
	assert_int_equal(c.tid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_becomes_what_a_stop_costs_here, setup),
		cmocka_unit_test_setup(what_is_rare_is_not_the_price, setup),
		cmocka_unit_test_setup(
			only_from_the_beginning_of_a_call_to_its_end_nothing_is_done, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
