/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of heap profiles, of whoever writes such. */
#include "fuzz.h"

#include "pprof/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = fuzz_stream(data, size);
	struct heap_stacks stacks = { 0 };
	struct error e = { 0 };
	const int err = heap_read_text(in, "fuzz", &stacks, &e);

	FUZZ_EXPECT(!err || err == -EINVAL);
	heap_stacks_release(&stacks);
	fclose(in);
	return 0;
}
