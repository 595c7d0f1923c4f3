/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.proto, compressed or not. */
#include "fuzz.h"

#include "pprof/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct heap_stacks stacks = { 0 };
	struct error e = { 0 };
	const int err = heap_read_proto(f.path, &stacks, &e);

	FUZZ_EXPECT(err <= 0);
	heap_stacks_release(&stacks);
	close(f.fd);
	return 0;
}
