/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes as people write them. */
#include "unit/unit.h"

#include "base/number.h"

static void sizes_have_the_suffixes_of_dd(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} fine[] = {
		{"0", 0},
		{"17", 17},
		{"17B", 17},
		{"3k", 3 << 10},
		{"3K", 3 << 10},
		{"3KiB", 3 << 10},
		{"3kib", 3 << 10},
		{"3KB", 3000},
		{"8M", 8 << 20},
		{"8MiB", 8 << 20},
		{"8MB", 8000000},
		{"2G", 2ull << 30},
		{"2GiB", 2ull << 30},
		{"2GB", 2000000000},
		{"1T", 1ull << 40},
		{"1tib", 1ull << 40},
		{"18446744073709551615", UINT64_MAX},
	};
	static const char *const wrong[] = {
		"", "K", "MiB", "-1", "+1", " 1", "1 ", "1 M", "1.5M", "5X", "1MM", "1iB", "1Mi",
		"1MBs", "0x10", "18446744073709551616", "18446744073709551615K", "16777216T",
		"000000000000000000000000000000000000001",
	};
	uint64_t n;

	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
		if (!number_bytes(&n, fine[i].text) || n != fine[i].bytes)
			fail_msg("%s", fine[i].text);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		n = 4711;
		if (number_bytes(&n, wrong[i]) || n != 4711)
			fail_msg("%s is a size", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_the_suffixes_of_dd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
