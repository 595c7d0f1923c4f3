/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of clones and ends while a process is being seized, without a process. */
#include "unit/unit.h"

#include "attach/census.h"

#include <errno.h>

enum { US = 4711, GDB = 4712 };

static enum thread_kind kind(int err, pid_t tracer, char state)
{
	return thread_kind(&(struct thread_facts){ err, tracer, state }, US);
}

/* ---- one thread ---- */

static void who_could_be_seized_is_ours(void **state)
{
	(void)state;
	assert_int_equal(kind(0, 0, 'R'), THREAD_OURS);
}

/* The kernel refuses to seize a traced task, such as one cloned by a thread of ours. */
static void who_was_born_to_one_of_ours_is_ours_before_its_first_stop(void **state)
{
	(void)state;
	assert_int_equal(kind(-EPERM, US, 'R'), THREAD_OURS);
	assert_int_equal(kind(-EPERM, US, 't'), THREAD_OURS);
	assert_int_equal(kind(-EPERM, US, 'Z'), THREAD_OURS);
}

static void who_ended_before_it_was_seized_is_lost_not_refused(void **state)
{
	(void)state;
	assert_int_equal(kind(-ESRCH, 0, 'X'), THREAD_LOST);
	assert_int_equal(kind(-EPERM, 0, 'X'), THREAD_LOST);
	/* its number is another's by the time it is looked at */
	assert_int_equal(kind(-ESRCH, 0, 'R'), THREAD_LOST);
}

static void a_leader_that_has_ended_is_over(void **state)
{
	(void)state;
	assert_int_equal(kind(-EPERM, 0, 'Z'), THREAD_OVER);
}

static void somebody_elses_thread_is_told_from_one_that_may_not_be_seized(void **state)
{
	(void)state;
	assert_int_equal(kind(-EPERM, GDB, 't'), THREAD_OTHERS);
	assert_int_equal(kind(-EPERM, GDB, 'Z'), THREAD_OTHERS);
	assert_int_equal(kind(-EPERM, 0, 'S'), THREAD_REFUSED);
}

/* ---- readings of the list ---- */

/* A process with a thread that makes the next one and ends, played as the tracer would meet it. */
struct reading {
	unsigned ours;		/* listed, and ours before */
	unsigned seized, born, over, lost, others, refused;
};

static enum census_verdict judge(struct reading r, long threads, bool held)
{
	struct census c = { 0 };

	for (unsigned i = 0; i < r.ours; i++)
		census_add(&c, THREAD_OURS, false);
	for (unsigned i = 0; i < r.seized; i++)
		census_add(&c, kind(0, 0, 'R'), true);
	for (unsigned i = 0; i < r.born; i++)
		census_add(&c, kind(-EPERM, US, 'R'), false);
	for (unsigned i = 0; i < r.over; i++)
		census_add(&c, kind(-EPERM, 0, 'Z'), false);
	for (unsigned i = 0; i < r.lost; i++)
		census_add(&c, kind(-ESRCH, 0, 'X'), false);
	for (unsigned i = 0; i < r.others; i++)
		census_add(&c, kind(-EPERM, GDB, 't'), false);
	for (unsigned i = 0; i < r.refused; i++)
		census_add(&c, kind(-EPERM, 0, 'S'), false);
	return census_judge(&c, threads, held);
}

static void a_quiet_process_is_held_and_looked_at_once_more(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .seized = 3 }, 3, false), CENSUS_HOLD);
	assert_int_equal(judge((struct reading){ .ours = 3 }, 3, true), CENSUS_COMPLETE);
}

/* The list had the main thread, and one that ended before it was seized. Its child exists,
 * unseen. */
static void a_reading_that_seized_nobody_is_not_the_last_if_a_thread_was_lost(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 1, .lost = 1 }, 2, false), CENSUS_AGAIN);
	assert_int_equal(judge((struct reading){ .ours = 1, .lost = 1 }, 2, true), CENSUS_AGAIN);
}

/* Cloned after the end of the list was reached: all that were listed are ours. */
static void a_thread_born_behind_the_reader_is_missed_by_the_count(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 2 }, 3, false), CENSUS_AGAIN);
	assert_int_equal(judge((struct reading){ .seized = 2 }, 3, false), CENSUS_AGAIN);
}

/* The lost thread had no children: there are as many tasks as are ours. */
static void a_thread_that_was_lost_without_children_is_no_reason_to_read_again(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 2, .lost = 1 }, 2, false), CENSUS_HOLD);
}

/* Seized in the middle of clone(2), which decides at its beginning whether the child will be
 * traced. */
static void a_child_of_a_thread_seized_in_clone_is_found_when_all_are_held(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .seized = 2 }, 2, false), CENSUS_HOLD);
	/* all are stopped; the child has come to light by that, and runs */
	assert_int_equal(judge((struct reading){ .ours = 2, .seized = 1 }, 3, true), CENSUS_HOLD);
	assert_int_equal(judge((struct reading){ .ours = 3 }, 3, true), CENSUS_COMPLETE);
}

/* That child ended before it could be seized, and so on. */
static void its_own_children_are_waited_for_as_long_as_they_escape(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 2, .lost = 1 }, 3, true), CENSUS_AGAIN);
	assert_int_equal(judge((struct reading){ .ours = 2 }, 3, true), CENSUS_AGAIN);
	assert_int_equal(judge((struct reading){ .ours = 2, .seized = 1 }, 3, true), CENSUS_HOLD);
}

/* A child that could not be reported yet: its parent is stopped in clone(2), its own first stop is
 * still to come. */
static void a_child_that_is_born_to_be_ours_completes_the_count(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 2, .born = 1 }, 3, true), CENSUS_COMPLETE);
}

/* A dead thread that has not been waited for stays in the list, whatever happens to others. */
static void one_of_ours_that_has_died_meanwhile_counts(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 3 }, 3, true), CENSUS_COMPLETE);
	assert_int_equal(judge((struct reading){ .ours = 3 }, 4, true), CENSUS_AGAIN);
}

static void a_leader_that_has_gone_is_no_obstacle(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .over = 1, .seized = 4 }, 5, false), CENSUS_HOLD);
	assert_int_equal(judge((struct reading){ .over = 1, .ours = 4 }, 5, true), CENSUS_COMPLETE);
}

/* An exec has ended all others: the list is from before it and the count from after it, or the
 * other way round. */
static void an_exec_during_the_reading_is_read_again(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 4 }, 1, false), CENSUS_AGAIN);
	assert_int_equal(judge((struct reading){ .ours = 1 }, 4, false), CENSUS_AGAIN);
	assert_int_equal(judge((struct reading){ .ours = 1 }, 1, false), CENSUS_HOLD);
}

static void nobody_is_let_in_where_one_thread_stays_out(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 2, .others = 1 }, 3, true), CENSUS_TRACED);
	assert_int_equal(judge((struct reading){ .ours = 2, .refused = 1 }, 3, true),
			 CENSUS_REFUSED);
	assert_int_equal(judge((struct reading){ .refused = 3 }, 3, false), CENSUS_REFUSED);
}

static void a_process_that_has_ended_is_gone_whoever_was_listed(void **state)
{
	(void)state;
	assert_int_equal(judge((struct reading){ .ours = 2 }, -1, true), CENSUS_GONE);
	assert_int_equal(judge((struct reading){ .lost = 1 }, -1, false), CENSUS_GONE);
	assert_int_equal(judge((struct reading){ 0 }, 0, false), CENSUS_GONE);
}

/* However the list was read, complete means: it has exactly our tasks, they were stopped before it
 * was read, and none has been created since. */
static void complete_is_nothing_but_complete(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 3 * 3 * 3 * 3 * 3; n++) {
		struct reading r = { .ours = n % 3, .seized = n / 3 % 3, .born = n / 9 % 3,
				     .over = n / 27 % 3, .lost = n / 81 };

		for (long threads = -1; threads < 10; threads++)
			for (int held = 0; held < 2; held++)
				if (judge(r, threads, held) == CENSUS_COMPLETE) {
					assert_true(held && !r.seized && threads > 0);
					assert_int_equal(r.ours + r.born + r.over, threads);
				}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_could_be_seized_is_ours),
		cmocka_unit_test(who_was_born_to_one_of_ours_is_ours_before_its_first_stop),
		cmocka_unit_test(who_ended_before_it_was_seized_is_lost_not_refused),
		cmocka_unit_test(a_leader_that_has_ended_is_over),
		cmocka_unit_test(somebody_elses_thread_is_told_from_one_that_may_not_be_seized),
		cmocka_unit_test(a_quiet_process_is_held_and_looked_at_once_more),
		cmocka_unit_test(a_reading_that_seized_nobody_is_not_the_last_if_a_thread_was_lost),
		cmocka_unit_test(a_thread_born_behind_the_reader_is_missed_by_the_count),
		cmocka_unit_test(
			a_thread_that_was_lost_without_children_is_no_reason_to_read_again),
		cmocka_unit_test(a_child_of_a_thread_seized_in_clone_is_found_when_all_are_held),
		cmocka_unit_test(its_own_children_are_waited_for_as_long_as_they_escape),
		cmocka_unit_test(a_child_that_is_born_to_be_ours_completes_the_count),
		cmocka_unit_test(one_of_ours_that_has_died_meanwhile_counts),
		cmocka_unit_test(a_leader_that_has_gone_is_no_obstacle),
		cmocka_unit_test(an_exec_during_the_reading_is_read_again),
		cmocka_unit_test(nobody_is_let_in_where_one_thread_stays_out),
		cmocka_unit_test(a_process_that_has_ended_is_gone_whoever_was_listed),
		cmocka_unit_test(complete_is_nothing_but_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
