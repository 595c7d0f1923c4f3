/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "probes/outcome.h"

static struct probes defined;

static const struct probe *named(const char *name)
{
	uint32_t n = probes_named(&defined, name);

	assert_int_not_equal(n, IDINDEX_NONE);
	return &defined.v[n];
}

static int define(void **state)
{
	static const char text[] = "malloc m\ncalloc c\nrealloc r\nrealloc rf frees-on-failure\n"
				   "resize x\nfree f\n"
				   "malloc pa out=1 size=3\nstrdup nd limit=2\nmalloclike ml\n"
				   "stop st\nheap-size hs\n"
				   "wrapper wr\n";
	struct error e;

	(void)state;
	return probes_add_text(&defined, text, sizeof text - 1, "test", true, &e);
}

static int forget(void **state)
{
	(void)state;
	probes_release(&defined);
	return 0;
}

static void a_realloc_is_what_its_result_and_its_size_make_of_it(void **state)
{
	static const struct {
		const char *name;
		uint64_t size;
		bool overflow;
		taddr old, block;
		enum alloc_event_kind kind;
	} v[] = {
		{ "m", 8, false, 0, 0x10, AE_ALLOC },
		{ "m", 8, false, 0, 0, AE_FAILED },
		{ "r", 8, false, 0, 0x10, AE_ALLOC },
		{ "r", 8, false, 0x20, 0x10, AE_REALLOC_MOVED },
		{ "r", 8, false, 0x20, 0x20, AE_REALLOC_MOVED },
		{ "r", 8, false, 0x20, 0, AE_REALLOC_BACK },
		{ "r", 0, false, 0x20, 0, AE_REALLOC_FREED },
		{ "r", 0, true, 0x20, 0, AE_REALLOC_BACK },
		{ "r", 0, false, 0, 0, AE_FAILED },
		{ "rf", 8, false, 0x20, 0, AE_REALLOC_FREED },
		{ "x", 0, false, 0x20, 0, AE_REALLOC_BACK },
		{ "x", 8, false, 0x20, 0x20, AE_REALLOC_MOVED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		assert_int_equal(probe_outcome(named(v[i].name), v[i].size, v[i].overflow, v[i].old,
					       v[i].block),
				 v[i].kind);
}

static void arguments_are_where_the_definition_says(void **state)
{
	const uint64_t arg[PROBE_ARGS] = { 0x1000, 40, 3, 0, 0, 0 };

	(void)state;
	struct probe_args a = probe_arguments(named("c"), arg);
	assert_int_equal(a.size, 0x1000 * 40);
	assert_int_equal(a.count, 0x1000);
	assert_int_equal(a.elem, 40);
	a = probe_arguments(named("r"), arg);
	assert_int_equal(a.ptr, 0x1000);
	assert_int_equal(a.size, 40);
	assert_int_equal(a.count, 1);
	a = probe_arguments(named("pa"), arg);
	assert_int_equal(a.out, 0x1000);
	assert_int_equal(a.size, 3);
	a = probe_arguments(named("nd"), arg);
	assert_int_equal(a.string, 0x1000);
	assert_int_equal(a.limit, 40);
	a = probe_arguments(named("f"), arg);
	assert_int_equal(a.ptr, 0x1000);
	assert_int_equal(a.size, 0);
}

static void a_size_that_cannot_be_expressed_is_told_as_such(void **state)
{
	const uint64_t arg[PROBE_ARGS] = { UINT64_MAX / 2, 3 };

	(void)state;
	struct probe_args a = probe_arguments(named("c"), arg);
	assert_true(a.overflow);
	assert_int_equal(a.size, UINT64_MAX);
}

static void logs_call_functions_by_what_they_do(void **state)
{
	(void)state;
	assert_int_equal(probe_call(named("m")), CALL_MALLOC);
	assert_int_equal(probe_call(named("c")), CALL_CALLOC);
	assert_int_equal(probe_call(named("x")), CALL_REALLOC);
	assert_int_equal(probe_call(named("f")), CALL_FREE);
}

static void marks_and_questions_are_no_functions_of_memory(void **state)
{
	(void)state;
	assert_int_equal(named("st")->kind, PROBE_NONE);
	assert_int_equal(named("st")->mark, MARK_STOP);
	assert_int_equal(named("hs")->kind, PROBE_NONE);
	assert_int_equal(named("hs")->question, ASK_HEAP_SIZE);
	assert_int_equal(named("m")->mark, MARK_NONE);
	assert_int_equal(named("m")->question, ASK_NOTHING);
	assert_string_equal(probe_word(named("st")), "stop");
	assert_string_equal(probe_word(named("hs")), "heap-size");
	assert_true(probe_announces(named("ml")));
	assert_false(probe_announces(named("st")));
	assert_false(probe_announces(named("wr")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_realloc_is_what_its_result_and_its_size_make_of_it),
		cmocka_unit_test(arguments_are_where_the_definition_says),
		cmocka_unit_test(a_size_that_cannot_be_expressed_is_told_as_such),
		cmocka_unit_test(logs_call_functions_by_what_they_do),
		cmocka_unit_test(marks_and_questions_are_no_functions_of_memory),
	};

	return cmocka_run_group_tests_name("outcome", tests, define, forget);
}
