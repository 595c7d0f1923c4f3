/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile that a confined process has sent. */
#include "fuzz.h"

#include "profile/datafile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct profile_data *d = NULL;
	struct error e = {0};
	const int err = datafile_receive(f.fd, &d, &e);

	FUZZ_EXPECT(err <= 0 && !err == (d != NULL));
	profile_data_free(d);
	close(f.fd);
	return 0;
}
