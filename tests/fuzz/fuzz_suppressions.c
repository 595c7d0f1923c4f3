/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of suppressions. */
#include "fuzz.h"

#include "gate/suppressions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct gate_suppressions s = { 0 };
	struct error e = { 0 };
	const int err = gate_suppressions_read(&s, f.path, &e);

	FUZZ_EXPECT(!err || err == -EINVAL);
	for (size_t i = 0; i < s.n; i++)
		FUZZ_EXPECT(s.items[i].pattern && s.items[i].pattern[0]);
	gate_suppressions_release(&s);
	close(f.fd);
	return 0;
}
