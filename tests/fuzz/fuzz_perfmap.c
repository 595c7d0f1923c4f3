/* SPDX-License-Identifier: BSD-2-Clause */
/* A perf map of generated code. */
#include "fuzz.h"

#include "symbols/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct perfmap m = { 0 };

	FUZZ_EXPECT(perfmap_read(&m, f.fd) == 0);
	for (size_t i = 0; i < m.n; i++) {
		const struct perfmap_entry *found = perfmap_find(&m, m.v[i].start);

		FUZZ_EXPECT(m.v[i].start < m.v[i].end && m.v[i].reach >= m.v[i].end);
		FUZZ_EXPECT(i == 0 || m.v[i].start >= m.v[i - 1].start);
		FUZZ_EXPECT(found && found->start <= m.v[i].start && found->end > m.v[i].start);
		FUZZ_EXPECT(found->order >= m.v[i].order);
	}
	perfmap_release(&m);
	close(f.fd);
	return 0;
}
