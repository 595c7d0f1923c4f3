/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of a file of probe definitions. */
#include "fuzz.h"

#include "probes/probe_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_line line;
	struct error e = { 0 };

	if (size > PROBE_LINE_MAX)
		return 0;
	char *text = fuzz_text(data, size);
	const int err = probe_line_parse(text, &line, &e);

	FUZZ_EXPECT(!err || err == -EINVAL);
	if (!err && line.what != LINE_EMPTY)
		FUZZ_EXPECT(line.name[0] && memchr(line.name, '\0', sizeof line.name));
	free(text);
	return 0;
}
