/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session answers to a command, before it is sent. */
#include "unit/unit.h"

#include "cli/answer.h"

static double number_at(const json_t *o, const char *key)
{
	const json_t *n = json_object_get(o, key);

	assert_true(json_is_number(n));
	return json_number_value(n);
}

static void sums_are_never_negative_in_json(void **state)
{
	const struct control_asker to = { .fd = -1, .form = CONTROL_JSON };
	const uint64_t half = UINT64_C(1) << 63;
	struct answer a;

	(void)state;
	answer_begin(&a, &to);
	answer_number(&a, "live bytes", "live_bytes", half);
	answer_number(&a, "allocations", "allocations", half - 1);
	answer_process(&a, &(struct answer_process){ .pid = 12, .command = "a", .allocs = half,
						     .frees = UINT64_MAX, .live_bytes = half });
	assert_true(number_at(a.json, "live_bytes") == 0x1p63);
	assert_true(json_integer_value(json_object_get(a.json, "allocations")) == INT64_MAX);
	const json_t *p = json_array_get(json_object_get(a.json, "each_process"), 0);
	assert_int_equal(json_integer_value(json_object_get(p, "pid")), 12);
	assert_true(number_at(p, "allocations") == 0x1p63);
	assert_true(number_at(p, "frees") == 0x1p64);
	assert_true(number_at(p, "live_bytes") == 0x1p63);
	answer_drop(&a);
}

static void people_are_told_sums_to_the_last_digit(void **state)
{
	const struct control_asker to = { .fd = -1, .form = CONTROL_TEXT };
	struct answer a;

	(void)state;
	answer_begin(&a, &to);
	answer_number(&a, "live bytes", "live_bytes", UINT64_MAX);
	assert_int_equal(fclose(a.out), 0);
	a.out = NULL;
	assert_string_equal(a.text, "live bytes: 18446744073709551615\n");
	answer_drop(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_never_negative_in_json),
		cmocka_unit_test(people_are_told_sums_to_the_last_digit),
	};

	return cmocka_run_group_tests_name("cli/answer", tests, NULL, NULL);
}
