/* SPDX-License-Identifier: BSD-2-Clause */
/* An event log, compressed or not. */
#include "fuzz.h"

#include "mma/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct error e = { 0 };
	struct mma_source *s = mma_source_open(f.path, &e);
	struct mma_log log = { 0 };

	if (s) {
		const int err = mma_log_read(&log, s, &e);

		FUZZ_EXPECT(err <= 0);
		for (size_t i = 1; !err && i < log.n; i++)
			FUZZ_EXPECT(log.v[i].time_ns >= log.v[i - 1].time_ns);
	}
	mma_log_release(&log);
	mma_source_close(s);
	close(f.fd);
	return 0;
}
