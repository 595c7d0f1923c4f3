/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/place.h"

#include "arch/arch.h"
#include "symbols/cfi.h"
#include "symbols/dyntable.h"

#include <fcntl.h>

/* True if disassembling from @start, instruction by instruction, reaches @address. */
static bool is_reached(Elf *elf, uint64_t start, uint64_t address)
{
	const uint64_t wanted = address - start;
	const Elf_Data *code = dyntable_loaded(elf, start, wanted + ARCH_INSN_MAX, ELF_T_BYTE);
	struct arch_insn insn;
	uint64_t at = 0;

	while (code && at < wanted) {
		if (arch_decode((const uint8_t *)code->d_buf + at, code->d_size - at, &insn))
			return true; /* not code, such as data between instructions: cannot tell */
		at += insn.size;
	}
	return !code || at == wanted;
}

bool place_may_be_instruction(int fd, uint64_t address)
{
	int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct fdes fdes = { 0 };
	struct objfile o;
	bool may = true;

	if (own < 0 || objfile_open_quick(&o, own))
		return true;
	if (!fdes_read(&fdes, &o)) {
		const struct fde *f = fdes_find(&fdes, address);

		may = !f || is_reached(o.elf, f->start, address);
	}
	fdes_release(&fdes);
	objfile_close(&o);
	return may;
}
