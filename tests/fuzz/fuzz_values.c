/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options. */
#include "fuzz.h"

#include "cli/option_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	uint64_t n = 7, bytes = 7;
	double seconds = 7, percent = 7;
	bool flag;

	value_yes_no(&flag, text);
	if (value_count(&n, text))
		FUZZ_EXPECT(value_bytes(&bytes, text) && bytes == n);
	if (value_in_range(&n, text, 3, 9))
		FUZZ_EXPECT(n >= 3 && n <= 9);
	if (value_seconds(&seconds, text))
		FUZZ_EXPECT(seconds > 0);
	if (value_percent(&percent, text, 50))
		FUZZ_EXPECT(percent >= 0 && percent <= 50);
	free(text);
	return 0;
}
