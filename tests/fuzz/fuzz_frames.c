/* SPDX-License-Identifier: BSD-2-Clause */
/* Call frame information of a file: rows, functions, and where exceptions go on. */
#define ELF_SECTIONS ".eh_frame", ".debug_frame", ".gcc_except"
#include "elf_mutator.h"

#include "symbols/cfi.h"
#include "symbols/cfirows.h"
#include "symbols/landing.h"

static void check_fdes(const struct fdes *t, uint64_t bytes)
{
	for (size_t i = 0; i < t->n; i++) {
		FUZZ_EXPECT(t->v[i].start < t->v[i].end && t->v[i].offset < bytes);
		FUZZ_EXPECT(i == 0 || t->v[i].start >= t->v[i - 1].start);
		FUZZ_EXPECT(fdes_find(t, t->v[i].start));
	}
}

/* Rows are in order, within the code, and not more than the bytes can tell. */
static void check_rows(const struct cfi_rows *t, size_t bytes)
{
	FUZZ_EXPECT(t->n <= 4 * bytes + 4 && t->n_blocks <= 4 * t->n + 64);
	for (size_t i = 0; i < t->n; i++) {
		const struct unwind_row *found = cfirows_find(t, t->start + t->v[i].pc);

		FUZZ_EXPECT(i ? t->v[i].pc > t->v[i - 1].pc : t->v[i].pc == 0);
		FUZZ_EXPECT(t->v[i].pc < t->end - t->start && found == &t->v[i]);
	}
	FUZZ_EXPECT(!t->n || cfirows_find(t, t->end - 1) == &t->v[t->n - 1]);
	FUZZ_EXPECT(!cfirows_find(t, t->end) && (!t->start || !cfirows_find(t, t->start - 1)));
}

static void look_for_landings(int fd, const struct fdes *t)
{
	struct landings l;
	uint64_t at;

	if (landings_open(&l, fd))
		return;
	for (size_t i = 0; i < t->n && i < 16; i++)
		for (uint64_t call = t->v[i].start; call < t->v[i].end && call < t->v[i].start + 32;
		     call += 5)
			landing_of(&l, call, &at);
	landings_close(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct debug_frame debug = {0};
	struct cfi_rows rows = {0};
	struct fdes fdes = {0};
	struct objfile o;

	if (!objfile_open_path(&o, f.path)) {
		FUZZ_EXPECT(!fdes_read(&fdes, &o) && !debug_frame_read(&debug, &o));
		check_fdes(&fdes, size);
		check_fdes(&debug.fdes, debug.n);
		FUZZ_EXPECT(!cfirows_read(&rows, &o));
		check_rows(&rows, size + debug.n);
		look_for_landings(f.fd, &fdes);
		objfile_close(&o);
	}
	cfirows_release(&rows);
	fdes_release(&fdes);
	debug_frame_release(&debug);
	close(f.fd);
	return 0;
}
