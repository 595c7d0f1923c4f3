/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file has that concerns breakpoints: its symbols, relocations and notes, by section headers
 * or by PT_DYNAMIC. */
#define ELF_SECTIONS                                                                               \
	".dyn", ".symtab", ".strtab", ".rela", ".gnu.hash", ".hash", ".note", ".gnu.version",      \
		".eh_frame", ".text"
#include "elf_mutator.h"

#include "probes/no_allocator.h"
#include "probes/place.h"
#include "probes/scan.h"
#include "symbols/ownheap.h"

static void check_scan(const struct scan *s, const struct probes *probes, int fd)
{
	for (size_t i = 0; i < s->n_probes; i++) {
		FUZZ_EXPECT(s->probes[i].probe < probes->n);
		if (i < 8)
			place_may_be_instruction(fd, s->probes[i].address + 1);
	}
	for (size_t i = 0; i < s->n_ranges; i++)
		FUZZ_EXPECT(s->ranges[i].start <= s->ranges[i].end);
	for (size_t i = 0; i < s->n_got_entries; i++)
		FUZZ_EXPECT(s->got_entries[i].resolver || s->got_entries[i].probe < probes->n);
	FUZZ_EXPECT(s->slack_start <= s->slack_end);
	scan_depends(s, probes);
	scan_has_room(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct module_file file = {.path = (char *)f.path, .fd = f.fd};
	const struct module_files files = {.files = &file, .n = 1};
	static struct probes probes; /* read once: that takes longer than most files */
	struct scans scans = {.probes = &probes};
	struct advice why = {0};

	FUZZ_EXPECT(probes.n || !probes_add_builtin(&probes, true, NULL));
	const struct scan *s = scan_got_entries(&scans, &files, 0);

	FUZZ_EXPECT(s && s->done && !s->lost);
	check_scan(s, &probes, f.fd);
	const struct ownheap heap = ownheap_of(f.fd);

	no_allocator_why(&heap, &(struct module_files){ 0 }, &why);
	scans_release(&scans);
	close(f.fd);
	return 0;
}
