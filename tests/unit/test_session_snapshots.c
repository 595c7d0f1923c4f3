/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles that are written when a program's live bytes pass a limit. */
#include "unit/scripted_observer.h"

#include "session/snapshots.h"

static const struct snapshot_when above_100[] = {
	{ .given = "live>100", .of = SNAPSHOT_LIVE, .above = 100 },
	{ .given = "live>500", .of = SNAPSHOT_LIVE, .above = 500 },
};

static const struct session_settings settings = { .trace_children = true, .snapshots = above_100,
						  .n_snapshots = 2 };

static void a_profile_is_written_at_the_very_event(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 100);
	assert_int_equal(script.copies, 0);
	alloc(i, 0x200, 1);
	assert_int_equal(script.copies, 1);
	assert_string_equal(script.said, "1: process 4711: live>100 (101 bytes)");
	alloc(i, 0x300, 399);
	assert_int_equal(script.copies, 1);
	alloc(i, 0x500, 1);
	assert_int_equal(script.copies, 2);
	assert_string_equal(script.said, "2: process 4711: live>500 (501 bytes)");
	assert_int_equal(script.saves, 0);
	session_release(s);
}

static void when_it_has_fallen_it_is_written_again_at_the_next_crossing(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 101);
	release(i, 0x10);
	snapshots_look(i, 7);
	alloc(i, 0x10, 100);
	assert_int_equal(script.copies, 1);
	alloc(i, 0x20, 5);
	assert_int_equal(script.copies, 2);
	session_release(s);
}

static void a_child_has_not_come_to_its_memory_by_itself(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 101);
	assert_int_equal(script.copies, 1);
	struct image *child = fork_from(s, i, CHILD);
	assert_true(child->judges[0].fired);
	snapshots_look(child, 7);
	alloc(child, 0x20, 101);
	assert_string_equal(script.said, "1: process 4712: live>100 (101 bytes)");
	session_release(s);
}

static void files_are_numbered_on_in_the_next_program_of_a_process(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 101);
	gone(i);
	i = start(s, ROOT);
	alloc(i, 0x10, 101);
	assert_string_equal(script.said, "2: process 4711: live>100 (101 bytes)");
	session_release(s);
}

static void there_is_an_end_to_files_which_is_said_once(void **state)
{
	struct session *s = begin_with(&settings);
	struct image *i = start(s, ROOT);

	(void)state;
	for (unsigned n = 0; n < SNAPSHOTS_MAX + 5; n++) {
		alloc(i, 0x10, 101);
		release(i, 0x10);
		snapshots_look(i, 7);
		if (n == SNAPSHOTS_MAX)
			assert_non_null(strstr(script.said, "no more"));
		else if (n > SNAPSHOTS_MAX)
			assert_string_equal(script.said, "");
		script.said[0] = '\0';
	}
	assert_int_equal(script.copies, SNAPSHOTS_MAX);
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_written_at_the_very_event),
		cmocka_unit_test(when_it_has_fallen_it_is_written_again_at_the_next_crossing),
		cmocka_unit_test(a_child_has_not_come_to_its_memory_by_itself),
		cmocka_unit_test(files_are_numbered_on_in_the_next_program_of_a_process),
		cmocka_unit_test(there_is_an_end_to_files_which_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
