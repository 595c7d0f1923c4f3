/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session does if it costs too much: the program is this test, the time is made up. */
#include "unit/scripted_observer.h"

#include "base/clock.h"
#include "session/loop.h"
#include "session/meter.h"

#include <time.h>

#define S UINT64_C(1000000000)

static struct session *begin_limited(enum over_how how)
{
	struct session *s = begin_with(&(struct session_settings){ .over = { 2, how },
								 .trace_children = true });

	s->root = getpid();
	start(s, getpid());
	return s;
}

/* A quarter of a second of a program that stands still for nearly all of it. */
static void tick(struct session *s, uint64_t *now_ns)
{
	script.effort.stopped_ns += s->suspended ? 0 : S / 4;
	for (uint64_t ran = s->images->ran_ns; s->images->ran_ns == ran;)
		meter_take(s->images);
	meter_tick(s, *now_ns += S / 4);
}

static void it_takes_the_breakpoints_out_for_a_while_and_says_so(void **state)
{
	struct session *s = begin_limited(OVER_PAUSE);
	uint64_t now = s->started_ns;

	(void)state;
	alloc(s->images, 0x10, 100);
	for (unsigned n = 0; n < 12; n++)
		tick(s, &now);
	assert_false(s->suspended);
	tick(s, &now);
	assert_true(s->suspended && script.observed[0].suspended);
	assert_non_null(strstr(script.said, "3.2 s after the start"));
	assert_non_null(strstr(script.said, "more than --max-slowdown=2: nothing is watched for "
					    "3 s"));
	assert_int_equal(s->images->profile->totals.missed, 1);
	for (unsigned n = 0; n < 11; n++)
		tick(s, &now);
	assert_true(s->suspended);
	tick(s, &now);
	assert_false(s->suspended);
	assert_string_equal(script.said, "6.2 s after the start: the pause is over");
	assert_false(s->too_slow);
	session_release(s);
}

static void ticks(struct session *s, uint64_t *now, unsigned n)
{
	while (n--)
		tick(s, now);
}

static void a_program_that_suspends_itself_is_not_resumed_by_the_end_of_a_pause(void **state)
{
	struct session *s = begin_limited(OVER_PAUSE);
	struct image *i = s->images, *other = start(s, CHILD);
	uint64_t now = s->started_ns;

	(void)state;
	ticks(s, &now, 12);
	mark(i, MARK_SUSPEND, 0);
	ticks(s, &now, 1);
	assert_true(s->suspended && i->observed->suspended && other->observed->suspended);
	while (s->suspended && now < s->started_ns + 30 * S)
		tick(s, &now);
	assert_false(s->suspended || other->observed->suspended || other->paused_since_ns);
	assert_true(i->paused && i->lifted && i->paused_since_ns && i->observed->suspended);
	mark(i, MARK_RESUME, 0);
	assert_false(i->paused || i->paused_since_ns || i->observed->suspended);
	session_release(s);
}

static void who_suspends_in_a_pause_ends_it_himself(void **state)
{
	struct session *s = begin_limited(OVER_PAUSE);
	uint64_t now = s->started_ns;

	(void)state;
	assert_false(meter_give_up_pause(s));
	ticks(s, &now, 13);
	assert_true(s->suspended && meter_give_up_pause(s));
	assert_false(meter_give_up_pause(s));
	ticks(s, &now, 40);
	assert_true(s->suspended);
	assert_true(session_resume(s));
	session_release(s);
}

static void or_it_ends(void **state)
{
	struct session *s = begin_limited(OVER_DETACH);
	uint64_t now = s->started_ns;

	(void)state;
	for (unsigned n = 0; n < 13; n++)
		tick(s, &now);
	assert_true(s->too_slow && !s->suspended);
	assert_non_null(strstr(script.said, "it is let go"));
	assert_int_equal(session_run(s), 0);
	assert_string_equal(script.calls, "attend");
	session_release(s);
}

static void what_a_program_does_in_a_pause_is_in_no_sum(void **state)
{
	struct session *s = begin_limited(OVER_PAUSE);
	uint64_t now = s->started_ns;

	(void)state;
	tick(s, &now);
	session_suspend(s);
	const uint64_t ran = meter_read(s).ran_ns;

	assert_true(ran > 0);
	tick(s, &now);
	assert_true(meter_read(s).ran_ns == ran);
	session_resume(s);
	tick(s, &now);
	assert_true(meter_read(s).ran_ns > ran);
	session_release(s);
}

/* Work until its clock has gone on. */
static void work(const struct image *i)
{
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(i->pid, &clock), 0);
	while (clock_ns(clock) <= i->ran_ns)
		continue;
}

/* There is no tick while it lives. */
static void what_a_program_did_since_the_last_reading_is_counted_when_it_ends(void **state)
{
	struct session *s = begin_limited(OVER_PAUSE);
	uint64_t was;

	(void)state;
	script.effort.taken_ns = 7;
	work(s->images);
	was = s->cost.ran_ns;
	session_sink.leaving(s->images);
	assert_true(s->cost.ran_ns > was && s->cost.taken_ns == 7);
	/* As another program follows in its process. */
	work(s->images);
	was = s->cost.ran_ns;
	gone(s->images);
	assert_true(s->cost.ran_ns > was);
	session_release(s);
}

static void when_nothing_is_observed_any_more_it_is_what_it_was(void **state)
{
	struct session *s = begin_limited(OVER_PAUSE);
	uint64_t now = s->started_ns;

	(void)state;
	tick(s, &now);
	gone(s->images);
	const struct cost_span was = s->cost;

	script.effort.taken_ns += 1000;
	assert_true(meter_read(s).taken_ns == was.taken_ns && s->cost.ran_ns == was.ran_ns);
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_takes_the_breakpoints_out_for_a_while_and_says_so),
		cmocka_unit_test(
			a_program_that_suspends_itself_is_not_resumed_by_the_end_of_a_pause),
		cmocka_unit_test(who_suspends_in_a_pause_ends_it_himself),
		cmocka_unit_test(or_it_ends),
		cmocka_unit_test(what_a_program_does_in_a_pause_is_in_no_sum),
		cmocka_unit_test(
			what_a_program_did_since_the_last_reading_is_counted_when_it_ends),
		cmocka_unit_test(when_nothing_is_observed_any_more_it_is_what_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
