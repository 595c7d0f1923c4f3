/* SPDX-License-Identifier: BSD-2-Clause */
/* What --fail-if says. */
#include "fuzz.h"

#include "gate/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct gate_condition c;
	const int err = gate_condition_parse(&c, text);

	FUZZ_EXPECT(!err || err == -EINVAL);
	if (!err) {
		const struct gate_bounds all = { 0, UINT64_MAX }, one = { 1, 1 };

		FUZZ_EXPECT(c.figure < GATE_FIGURES && gate_figure_name(c.figure));
		/* of what is known exactly, it holds or it does not */
		FUZZ_EXPECT(gate_condition_holds(&c, one, one) != GATE_CANNOT_TELL);
		gate_condition_holds(&c, all, one);
		gate_condition_holds(&c, one, all);
	}
	gate_condition_release(&c);
	free(text);
	return 0;
}
