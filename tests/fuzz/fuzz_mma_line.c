/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of an event log. */
#include "fuzz.h"

#include "mma/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *end = NULL;
	struct mma_entry entry;
	struct mma_mistake m;

	/* the NUL is where the last line ends; a reader has no others in it */
	for (char *s = text; s < text + size; s++)
		*s = *s ? *s : ' ';
	text[size] = '\n';
	for (const char *line = text; line <= text + size; line = end + 1) {
		if (mma_parse(line, text + size + 1, &end, &entry, &m) == MMA_LINE_MALFORMED) {
			FUZZ_EXPECT(m.at >= line && m.at <= text + size && m.expected);
			end = memchr(line, '\n', (size_t)(text + size + 1 - line));
		}
		FUZZ_EXPECT(end >= line && *end == '\n');
	}
	free(text);
	return 0;
}
