/* SPDX-License-Identifier: BSD-2-Clause */
/* A data file. */
#include "fuzz.h"

#include "profile/datafile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct profile_data *d = NULL;
	struct error e = { 0 };

	FUZZ_EXPECT(datafile_read(f.path, &d, &e) <= 0);
	profile_data_free(d);
	close(f.fd);
	return 0;
}
