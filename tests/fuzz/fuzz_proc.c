/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of /proc: maps, smaps, status and stat. */
#include "fuzz.h"

#include "proc/smaps.h"
#include "proc/stat.h"
#include "proc/status.h"

static int check_map(const struct proc_map *m, void *ctx)
{
	(void)ctx;
	FUZZ_EXPECT(m->path);
	return strlen(m->path) == SIZE_MAX;
}

static int check_smap(const struct smap *m, void *ctx)
{
	return check_map(&m->map, ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const struct proc_status status = proc_status_parse(text);

	FUZZ_EXPECT(memchr(status.name, '\0', sizeof status.name));
	proc_maps_each_in(text, check_map, NULL);
	smaps_each_in(text, check_smap, NULL);
	for (unsigned nth = PROCSTAT_STATE; nth <= PROCSTAT_EXIT_CODE; nth++) {
		const char *field = procstat_field(text, nth);

		FUZZ_EXPECT(!field || (field >= text && field <= text + size));
	}
	free(text);
	return 0;
}
