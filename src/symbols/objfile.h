/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OBJFILE_H
#define MPROF_OBJFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gelf.h>

/* A build ID in hexadecimal. Longer ones than 64 bytes are not in use. */
#define BUILD_ID_MAX (2 * 64 + 1)

/* An ELF file opened by libelf. A zeroed struct with fd = -1 is none. */
struct objfile {
	int fd;
	Elf *elf;
};

#define OBJFILE_NONE ((struct objfile){ .fd = -1 })

/**
 * @fd  is taken over, and closed even if this fails
 * Returns 0, or -ENOEXEC if this is no ELF executable or shared object.
 */
int objfile_open(struct objfile *o, int fd);

/* As objfile_open(), while a program waits: without what elffile_open_quick() hides. */
int objfile_open_quick(struct objfile *o, int fd);

/* As objfile_open(), by name. Only regular files, because a name that was found in a file may be
 * any. */
int objfile_open_path(struct objfile *o, const char *path);
/* The same for a relocatable file, such as a .dwp file. */
int objfile_open_relocatable(struct objfile *o, const char *path);
void objfile_close(struct objfile *o);

/* The GNU build ID in hexadecimal, "" if there is none. */
void objfile_build_id(struct objfile *o, char id[BUILD_ID_MAX]);

/* Write @len bytes in hexadecimal; "" if they are too many for a build ID. */
void build_id_to_hex(const void *bytes, size_t len, char id[BUILD_ID_MAX]);

/* The section of this name, NULL if there is none; its header goes to @shdr. */
Elf_Scn *objfile_section(struct objfile *o, const char *name, GElf_Shdr *shdr);

/* Is @addr in a segment that is executable? Also true if the file has no segments at all. */
bool objfile_is_code(struct objfile *o, uint64_t addr);

#endif
