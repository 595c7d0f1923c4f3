/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for those that write beside the tracing. */
#include "unit/unit.h"
#include "attach/journal_internal.h"
#include "session/save_children.h"

#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 60 };

static void say_nothing(const char *sentence)
{
	(void)sentence;
}

/* Writes for as long as it takes until somebody has been told three times that nobody hangs. */
static void write_until_told(const struct journal *g)
{
	alarm(PATIENCE_SECONDS);
	while (atomic_load(&g->beats) < 3)
		usleep(1000);
	_exit(0);
}

static void who_waits_for_a_writer_does_not_seem_to_hang(void **state)
{
	struct save_children c = { .journal = journal_new() };

	(void)state;
	assert_non_null(c.journal);
	const struct save_child made = { save_child_fork(NULL, NULL), 7, "the profile", true,
					 say_nothing };

	if (made.pid == 0)
		write_until_told(c.journal);
	save_children_add(&c, &made);
	save_children_await(&c);
	assert_int_equal(c.n, 0);
	assert_false(c.failed);
	journal_free(c.journal);
	save_children_release(&c);
}

static void nobody_need_watch(void **state)
{
	struct save_children c = { 0 };

	(void)state;
	const struct save_child made = { save_child_fork(NULL, NULL), 7, "the profile", true,
					 say_nothing };

	if (made.pid == 0)
		_exit(3);
	save_children_add(&c, &made);
	save_children_await(&c);
	assert_int_equal(c.n, 0);
	assert_true(c.failed && c.failing);
	save_children_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_for_a_writer_does_not_seem_to_hang),
		cmocka_unit_test(nobody_need_watch),
	};

	return cmocka_run_group_tests_name("save children", tests, NULL, NULL);
}
