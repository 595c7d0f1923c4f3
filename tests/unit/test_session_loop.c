/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of a session, and what its outputs are told meanwhile. */
#include "unit/scripted_observer.h"

#include "base/clock.h"
#include "session/loop.h"

#include <signal.h>

static int begins_without(struct output *o, struct image *i)
{
	(void)o, (void)i;
	return 0;
}

static void progress(const struct output *o, const char *what)
{
	(void)o;
	note(what);
}

static void end(struct output *o, uint64_t now_ns)
{
	assert_true(o->session->end_ns == now_ns);
	note("end");
}

static void ahead(struct output *o)
{
	(void)o;
	note("ahead");
}

static const struct output_ops that_tells = { .begins = begins_without, .progress = progress,
					      .end = end, .ahead = ahead };

static void outputs_are_told_of_the_way_that_the_session_goes(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &that_tells };

	(void)state;
	session_add_output(s, &o);
	start(s, ROOT);
	session_suspend(s);
	assert_string_equal(script.calls, "hold suspend run suspended");
	script.calls[0] = '\0';
	session_resume(s);
	assert_string_equal(script.calls, "hold resume run resumed");
	session_release(s);
}

/* ---- the loop ---- */

static void it_ends(struct session *s)
{
	script.tasks = 0;
	gone(s->images);
	session_sink.ended(s, ROOT, 0);
}

static void the_loop_ends_with_the_last_task(void **state)
{
	struct session *s = begin(false);

	(void)state;
	start(s, ROOT);
	script.runs = it_ends;
	assert_int_equal(session_run(s), 0);
	assert_string_equal(script.calls, "attend go");
	assert_true(s->root_ended);
	session_release(s);
}

static void it_suspends_itself_then_ends(struct session *s)
{
	if (script.rounds == 1)
		mark(s->images, MARK_SUSPEND, 0);
	else
		it_ends(s);
}

static void what_a_program_asks_for_in_a_stop_is_done_between_two_rounds(void **state)
{
	struct session *s = begin(false);

	(void)state;
	start(s, ROOT);
	script.runs = it_suspends_itself_then_ends;
	assert_int_equal(session_run(s), 0);
	assert_string_equal(script.calls, "attend go attend hold suspend run go");
	session_release(s);
}

/* Whoever asks has connected meanwhile. */
static void a_client_asks(struct session *s)
{
	(void)s;
	signals_attention = 1;
	script.wants_end = true;
}

static void who_wants_the_end_gets_it_and_the_programs_go_on(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &that_tells, .ahead_s = 1000 };

	(void)state;
	session_add_output(s, &o);
	struct image *i = start(s, ROOT);
	script.runs = a_client_asks;
	assert_int_equal(session_run(s), 0);
	assert_string_equal(script.calls, "attend go attend");
	session_let_go(s);
	assert_string_equal(script.calls, "attend go attend end free");
	assert_false(s->root_ended);
	assert_true(s->end_ns != 0);
	assert_ptr_equal(s->images, i);
	session_release(s);
}

static void a_session_whose_time_is_over_does_not_wait_for_its_programs(void **state)
{
	struct session *s = begin_with(&(struct session_settings){ .duration = 1e-9 });

	(void)state;
	start(s, ROOT);
	assert_int_equal(session_run(s), 0);
	assert_string_equal(script.calls, "attend");
	session_release(s);
}

static void a_loop_that_cannot_wait_tells_why(void **state)
{
	struct session *s = begin(false);

	(void)state;
	start(s, ROOT);
	script.run_err = -EIO;
	assert_int_equal(session_run(s), -EIO);
	session_let_go(s);
	assert_string_equal(script.calls, "attend go free");
	session_release(s);
}

static void what_can_be_done_ahead_is_done_when_the_session_is_old_enough(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &that_tells, .ahead_s = 1000 };

	(void)state;
	session_add_output(s, &o);
	session_tick(s);
	assert_string_equal(script.calls, "");
	s->started_ns -= 1000000000000;
	session_tick(s);
	assert_string_equal(script.calls, "ahead");
	session_release(s);
}

/* A session that began five seconds ago and has worked for four. */
static struct session *begin_busy(bool may_be_fast)
{
	const struct session_settings settings = { .may_be_fast = may_be_fast };
	struct session *s = begin_with(&settings);

	start(s, ROOT);
	s->started_ns = clock_now_ns() - 5000000000;
	s->started_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - 4000000000;
	return s;
}

static void what_traps_cost_is_said_once_where_it_could_cost_less(void **state)
{
	struct session *s = begin_busy(true);

	(void)state;
	session_tick(s);
	assert_non_null(strstr(script.said, "busy for 80% of the time, and what the kernel takes "
					    "for the stops comes on top"));
	assert_non_null(strstr(script.said, "--engine=fast"));
	script.said[0] = '\0';
	session_tick(s);
	assert_string_equal(script.said, "");
	session_release(s);
}

static void it_is_not_said_to_who_has_chosen_or_before_it_is_known(void **state)
{
	struct session *s = begin_busy(false);

	(void)state;
	session_tick(s);
	assert_string_equal(script.said, "");
	session_release(s);
	s = begin_busy(true);
	s->started_cpu_ns += 3000000000; /* one of five */
	session_tick(s);
	assert_string_equal(script.said, "");
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outputs_are_told_of_the_way_that_the_session_goes),
		cmocka_unit_test(the_loop_ends_with_the_last_task),
		cmocka_unit_test(what_a_program_asks_for_in_a_stop_is_done_between_two_rounds),
		cmocka_unit_test(who_wants_the_end_gets_it_and_the_programs_go_on),
		cmocka_unit_test(a_session_whose_time_is_over_does_not_wait_for_its_programs),
		cmocka_unit_test(a_loop_that_cannot_wait_tells_why),
		cmocka_unit_test(what_can_be_done_ahead_is_done_when_the_session_is_old_enough),
		cmocka_unit_test(what_traps_cost_is_said_once_where_it_could_cost_less),
		cmocka_unit_test(it_is_not_said_to_who_has_chosen_or_before_it_is_known),
	};

	signal(SIGALRM, SIG_IGN); /* however long it takes */
	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
