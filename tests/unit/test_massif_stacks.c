/* SPDX-License-Identifier: BSD-2-Clause */
/* Stack depths: a process whose first thread starts at 0x7000 in [0x5000, 0x7100), which
 * grows downwards to 0x4000; thread 2 begins at 0x20f00 in [0x20000, 0x21000). */
#include "unit/unit.h"
#include "massif/stacks.h"

static taddr first_start, pointers[10];
static unsigned asked;

static bool mapping(pid_t pid, taddr at, taddr *start, taddr *end)
{
	assert_true(pid == 1 || pid == 9);
	asked++;
	if (at >= first_start && at < 0x7100) {
		*start = first_start;
		*end = 0x7100;
	} else if (at >= 0x20000 && at < 0x21000) {
		*start = 0x20000;
		*end = 0x21000;
	} else {
		return false;
	}
	return true;
}

static bool start(pid_t pid, taddr *sp)
{
	assert_int_equal(pid, 1);
	*sp = 0x7000;
	return true;
}

static bool pointer(pid_t pid, pid_t tid, taddr *sp)
{
	(void)pid;
	*sp = pointers[tid];
	return *sp;
}

static const struct stack_source source = { mapping, start, pointer };

static struct stacks new_stacks(void)
{
	first_start = 0x5000;
	asked = 0;
	for (int i = 0; i < 10; i++)
		pointers[i] = 0;
	return (struct stacks){ .source = &source, .pid = 1 };
}

static void the_first_thread_is_measured_from_where_it_began(void **state)
{
	struct stacks s = new_stacks();

	(void)state;
	assert_int_equal(stacks_sample(&s, 1, 0x7000), 0);
	assert_int_equal(stacks_sample(&s, 1, 0x6ff0), 0x10);
	assert_int_equal(stacks_sample(&s, 1, 0x6000), 0xff0);
	assert_int_equal(stacks_sample(&s, 1, 0x6f00), -0xf00);
	assert_int_equal(stacks_sample(&s, 1, 0x7080), -0x100); /* above its base: 0 */
	assert_int_equal(stacks_depth(&s), 0);
	stacks_release(&s);
}

static void a_stack_that_has_grown_is_looked_at_again(void **state)
{
	struct stacks s = new_stacks();

	(void)state;
	assert_int_equal(stacks_sample(&s, 1, 0x6000), 0x1000);
	assert_int_equal(asked, 1);
	first_start = 0x4000;
	assert_int_equal(stacks_sample(&s, 1, 0x4100), 0x1f00);
	assert_int_equal(asked, 2);
	assert_int_equal(stacks_sample(&s, 1, 0x4200), -0x100);
	assert_int_equal(asked, 2);
	stacks_release(&s);
}

static void on_another_stack_a_thread_is_as_deep_as_it_was(void **state)
{
	struct stacks s = new_stacks();

	(void)state;
	stacks_sample(&s, 1, 0x6000);
	assert_int_equal(stacks_sample(&s, 1, 0x20800), 0);
	assert_int_equal(stacks_sample(&s, 1, 0x3000), 0);
	assert_int_equal(stacks_depth(&s), 0x1000);
	stacks_release(&s);
}

static void a_thread_is_measured_from_its_first_stop_and_goes_with_its_depth(void **state)
{
	struct stacks s = new_stacks();

	(void)state;
	pointers[2] = 0x20f00;
	stacks_begin_thread(&s, 2);
	stacks_sample(&s, 1, 0x6f00);
	assert_int_equal(stacks_sample(&s, 2, 0x20800), 0x700);
	assert_int_equal(stacks_depth(&s), 0x800);
	assert_int_equal(stacks_end_thread(&s, 2), -0x700);
	assert_int_equal(stacks_depth(&s), 0x100);
	assert_int_equal(stacks_end_thread(&s, 3), 0);
	stacks_release(&s);
}

static void a_thread_from_before_is_measured_from_the_end_of_its_mapping(void **state)
{
	struct stacks s = new_stacks();

	(void)state;
	assert_int_equal(stacks_sample(&s, 2, 0x20800), 0x800);
	/* one that is nowhere counts nothing */
	assert_int_equal(stacks_sample(&s, 3, 0x99999), 0);
	assert_int_equal(stacks_depth(&s), 0x800);
	stacks_release(&s);
}

static void a_forked_child_has_the_stack_of_the_thread_that_made_it(void **state)
{
	struct stacks s = new_stacks(), child;

	(void)state;
	stacks_sample(&s, 1, 0x6f00);
	pointers[2] = 0x20f00;
	stacks_begin_thread(&s, 2);
	stacks_sample(&s, 2, 0x20800);
	pointers[9] = 0x20700;
	assert_int_equal(stacks_fork(&child, &s, 9), -0x100);
	assert_int_equal(stacks_depth(&child), 0x700);
	assert_int_equal(stacks_sample(&child, 9, 0x20600), 0x200);
	stacks_release(&child);
	stacks_release(&s);
}

static void a_look_takes_those_that_sleep_as_they_are(void **state)
{
	struct stacks s = new_stacks();

	(void)state;
	stacks_sample(&s, 1, 0x6f00);
	stacks_sample(&s, 2, 0x20800);
	assert_int_equal(stacks_look(&s), 0x900);
	pointers[1] = 0x6000;
	assert_int_equal(stacks_look(&s), 0x1800);
	assert_int_equal(stacks_depth(&s), 0x900);
	stacks_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_thread_is_measured_from_where_it_began),
		cmocka_unit_test(a_stack_that_has_grown_is_looked_at_again),
		cmocka_unit_test(on_another_stack_a_thread_is_as_deep_as_it_was),
		cmocka_unit_test(a_thread_is_measured_from_its_first_stop_and_goes_with_its_depth),
		cmocka_unit_test(a_thread_from_before_is_measured_from_the_end_of_its_mapping),
		cmocka_unit_test(a_forked_child_has_the_stack_of_the_thread_that_made_it),
		cmocka_unit_test(a_look_takes_those_that_sleep_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
