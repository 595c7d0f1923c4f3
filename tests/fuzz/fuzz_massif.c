/* SPDX-License-Identifier: BSD-2-Clause */
/* A massif file. */
#include "fuzz.h"

#include "massif/read.h"

static void check_file(const struct massif_file *f)
{
	const uint64_t peak = massif_file_peak(f);
	bool seen = peak == UINT64_MAX;

	FUZZ_EXPECT(f->n_records && f->desc && f->cmd && f->time_unit);
	for (size_t i = 0; i < f->n_records; i++) {
		const struct massif_record *r = &f->records[i];

		FUZZ_EXPECT(r->first <= f->n_lines && r->n <= f->n_lines - r->first);
		FUZZ_EXPECT(r->time <= f->records[f->n_records - 1].time);
		seen = seen || r->number == peak;
	}
	FUZZ_EXPECT(seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = fuzz_stream(data, size);
	struct massif_file *f = NULL;
	struct error e = { 0 };
	const int err = massif_read(in, "fuzz", &f, &e);

	FUZZ_EXPECT(!err || err == -EINVAL);
	if (!err)
		check_file(f);
	massif_file_free(f);
	fclose(in);
	return 0;
}
