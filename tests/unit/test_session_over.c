/* SPDX-License-Identifier: BSD-2-Clause */
/* When observing costs too much, and what is done then: from made-up series, without a clock. */
#include "unit/unit.h"
#include "session/over.h"

#define S UINT64_C(1000000000)

/* What a program does and is made to do. */
struct series {
	struct over_sample now;
	struct over_limit limit;
	struct over_judge judge;
};

/* A quarter of a second in which it is @times as slow as by itself. The meter leaves out what
 * nobody sees. */
static enum over_decision step(struct series *s, double times)
{
	const double own = (double)S / 4 / times;

	s->now.now_ns += S / 4;
	if (!s->now.suspended) {
		s->now.cost.ran_ns += (uint64_t)own;
		s->now.cost.stopped_ns += S / 4 - (uint64_t)own;
	}
	enum over_decision d = over_decide(&s->limit, &s->judge, &s->now);

	if (d == OVER_PAUSES)
		s->now.suspended = true;
	else if (d == OVER_RESUMES)
		s->now.suspended = false;
	return d;
}

/* The seconds until something is decided, which is @what; at most a day. */
static double until(struct series *s, double times, enum over_decision what)
{
	const uint64_t from = s->now.now_ns;

	for (unsigned n = 0; n < 4 * 86400; n++) {
		enum over_decision d = step(s, times);

		if (d == OVER_GO_ON)
			continue;
		assert_int_equal(d, what);
		return (double)(s->now.now_ns - from) / 1e9;
	}
	fail_msg("nothing is decided");
	return 0;
}

static struct series series(double limit, enum over_how how)
{
	return (struct series){ .now.now_ns = 12345 * S, .limit = { limit, how } };
}

static void assert_calm(struct series *s, double times, unsigned seconds)
{
	for (unsigned n = 0; n < 4 * seconds; n++)
		assert_int_equal(step(s, times), OVER_GO_ON);
}

static void without_a_limit_nothing_is_ever_decided(void **state)
{
	struct series s = series(0, OVER_PAUSE);

	(void)state;
	assert_calm(&s, 90, 100);
}

static void three_seconds_over_it_and_it_pauses_for_twice_as_long_each_time(void **state)
{
	struct series s = series(2, OVER_PAUSE);

	(void)state;
	assert_calm(&s, 1.9, 10);
	/* So long that with the three seconds it was twice as slow at most. */
	for (double pause = 3; pause < 500; pause *= 2) {
		double over = until(&s, 50, OVER_PAUSES);

		assert_true(over <= 3.5 && (pause < 4 || over >= 3));
		assert_true(s.judge.slowdown > 2);
		assert_float_equal(until(&s, 1, OVER_RESUMES), pause, 0.3);
	}
}

static void what_it_was_in_a_moment_is_not_what_it_was_for_three_seconds(void **state)
{
	struct series s = series(2, OVER_PAUSE);

	(void)state;
	for (unsigned n = 0; n < 20; n++) {
		step(&s, 90);
		assert_calm(&s, 1, 4);
	}
}

static void a_pause_has_an_end_however_low_the_limit(void **state)
{
	struct series s = series(1.05, OVER_PAUSE);
	double before = 30;

	(void)state;
	for (unsigned k = 0; k < 10; k++) {
		until(&s, 3, OVER_PAUSES);
		double pause = until(&s, 1, OVER_RESUMES);

		assert_true(pause > before && pause <= OVER_LONGEST_S + 1);
		before = pause < OVER_LONGEST_S ? pause : OVER_LONGEST_S - 1;
	}
	assert_float_equal(before, OVER_LONGEST_S - 1, 0.1);
}

static void when_it_has_been_calm_for_a_minute_the_next_pause_is_short_again(void **state)
{
	struct series s = series(2, OVER_PAUSE);

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		until(&s, 50, OVER_PAUSES);
		until(&s, 1, OVER_RESUMES);
	}
	assert_calm(&s, 1, OVER_CALM_S);
	until(&s, 50, OVER_PAUSES);
	assert_float_equal(until(&s, 1, OVER_RESUMES), 3, 0.3);
}

static void who_wants_to_be_left_alone_is_left_alone(void **state)
{
	struct series s = series(2, OVER_DETACH);

	(void)state;
	assert_calm(&s, 1.5, 20);
	assert_true(until(&s, 50, OVER_DETACHES) <= 3.5);
}

static void somebody_elses_suspending_and_resuming_is_not_ours(void **state)
{
	struct series s = series(2, OVER_PAUSE);

	(void)state;
	s.now.suspended = true;
	assert_calm(&s, 1, 100);
	s.now.suspended = false;
	assert_true(until(&s, 50, OVER_PAUSES) >= 3);
	/* The user does not want to wait. */
	s.now.suspended = false;
	assert_int_equal(step(&s, 50), OVER_GO_ON);
	assert_true(until(&s, 50, OVER_PAUSES) >= 3);
}

static void a_program_that_does_not_run_is_not_slow(void **state)
{
	struct series s = series(2, OVER_PAUSE);

	(void)state;
	for (unsigned n = 0; n < 100; n++) {
		s.now.now_ns += S;
		assert_int_equal(over_decide(&s.limit, &s.judge, &s.now), OVER_GO_ON);
	}
}

/* The purpose of the limit: in all, at any time after the first pauses, it is not exceeded. */
static void a_program_that_is_hopeless_ends_up_within_the_limit(void **state)
{
	static const double limits[] = { 1.1, 1.5, 2, 4, 10 };

	(void)state;
	for (unsigned k = 0; k < sizeof limits / sizeof *limits; k++) {
		struct series s = series(limits[k], OVER_PAUSE);
		const uint64_t from = s.now.now_ns;
		double done = 0;

		for (unsigned n = 0; n < 4 * 600; n++) {
			done += s.now.suspended ? 0.25 : 0.25 / 99;
			step(&s, 99);
		}
		assert_true((double)(s.now.now_ns - from) / 1e9 / done < limits[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_nothing_is_ever_decided),
		cmocka_unit_test(three_seconds_over_it_and_it_pauses_for_twice_as_long_each_time),
		cmocka_unit_test(what_it_was_in_a_moment_is_not_what_it_was_for_three_seconds),
		cmocka_unit_test(a_pause_has_an_end_however_low_the_limit),
		cmocka_unit_test(
			when_it_has_been_calm_for_a_minute_the_next_pause_is_short_again),
		cmocka_unit_test(who_wants_to_be_left_alone_is_left_alone),
		cmocka_unit_test(somebody_elses_suspending_and_resuming_is_not_ours),
		cmocka_unit_test(a_program_that_does_not_run_is_not_slow),
		cmocka_unit_test(a_program_that_is_hopeless_ends_up_within_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
