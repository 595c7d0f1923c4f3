/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/objfile.h"

#include "base/regular.h"
#include "symbols/elffile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Takes over @fd and its @elf; NULL: it is no ELF file. */
static int take_elf(struct objfile *o, int fd, Elf *elf, bool relocatable)
{
	GElf_Ehdr ehdr;

	*o = (struct objfile){ .fd = fd, .elf = elf };
	if (elf && gelf_getehdr(elf, &ehdr) &&
	    (relocatable ? ehdr.e_type == ET_REL : ehdr.e_type == ET_EXEC || ehdr.e_type == ET_DYN))
		return 0;
	const int err = elffile_lacked_memory() ? -ENOMEM : -ENOEXEC;

	objfile_close(o);
	return err;
}

int objfile_open(struct objfile *o, int fd)
{
	return take_elf(o, fd, elffile_open(fd), false);
}

int objfile_open_quick(struct objfile *o, int fd)
{
	return take_elf(o, fd, elffile_open_quick(fd, NULL), false);
}

static int open_path(struct objfile *o, const char *path, bool relocatable)
{
	int fd = regular_open(AT_FDCWD, path, 0);

	*o = OBJFILE_NONE;
	if (fd < 0)
		return fd == -ENOTSUP ? -ENOEXEC : fd;
	return take_elf(o, fd, elffile_open(fd), relocatable);
}

int objfile_open_path(struct objfile *o, const char *path)
{
	return open_path(o, path, false);
}

int objfile_open_relocatable(struct objfile *o, const char *path)
{
	return open_path(o, path, true);
}

void objfile_close(struct objfile *o)
{
	if (o->elf)
		elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	*o = OBJFILE_NONE;
}

void build_id_to_hex(const void *bytes, size_t len, char id[BUILD_ID_MAX])
{
	const unsigned char *b = bytes;

	id[0] = '\0';
	if (len > (BUILD_ID_MAX - 1) / 2)
		return;
	for (size_t i = 0; i < len; i++)
		snprintf(id + 2 * i, 3, "%02x", b[i]);
}

void objfile_build_id(struct objfile *o, char id[BUILD_ID_MAX])
{
	const void *bytes = NULL;
	ssize_t len = o->elf ? dwelf_elf_gnu_build_id(o->elf, &bytes) : 0;

	id[0] = '\0';
	if (len > 0)
		build_id_to_hex(bytes, (size_t)len, id);
}

Elf_Scn *objfile_section(struct objfile *o, const char *name, GElf_Shdr *shdr)
{
	size_t names;

	if (!o->elf || elf_getshdrstrndx(o->elf, &names))
		return NULL;
	for (Elf_Scn *scn = elf_nextscn(o->elf, NULL); scn; scn = elf_nextscn(o->elf, scn)) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		const char *s = elf_strptr(o->elf, names, shdr->sh_name);

		if (s && strcmp(s, name) == 0)
			return scn;
	}
	return NULL;
}

bool objfile_is_code(struct objfile *o, uint64_t addr)
{
	size_t n = 0;
	GElf_Phdr ph;
	bool any = false;

	if (elf_getphdrnum(o->elf, &n))
		return true;
	for (size_t i = 0; i < n && gelf_getphdr(o->elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD)
			continue;
		any = true;
		if ((ph.p_flags & PF_X) && addr >= ph.p_vaddr && addr - ph.p_vaddr < ph.p_memsz)
			return true;
	}
	return !any;
}
