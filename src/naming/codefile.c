/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/codefile.h"

#include <string.h>

bool codefile_open(struct codefile *f, const char *path, const char *build_id)
{
	*f = CODEFILE_NONE;
	if (objfile_open_path(&f->file, path))
		return false;
	objfile_build_id(&f->file, f->build_id);
	if (!*build_id || !strcmp(build_id, f->build_id))
		return true;
	codefile_close(f);
	return false;
}

void codefile_close(struct codefile *f)
{
	objfile_close(&f->file);
	*f = CODEFILE_NONE;
}

bool codefile_segment(struct codefile *f, size_t *i, struct code_segment *s)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->file.elf, &n))
		return false;
	while (*i < n && *i < INT32_MAX) {
		if (!gelf_getphdr(f->file.elf, (int)(*i)++, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X))
			continue;
		*s = (struct code_segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr, ph.p_memsz };
		return true;
	}
	return false;
}
