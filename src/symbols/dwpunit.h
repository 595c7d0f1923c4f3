/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DWPUNIT_H
#define MPROF_DWPUNIT_H

#include "symbols/objfile.h"

/* One unit of a .dwp file, to be written as a .dwo file of its own. */

#define DWPUNIT_PARTS 10

struct dwpunit_section {
	const char *name;
	const uint8_t *bytes;
	size_t n;
};

struct dwpunit {
	struct objfile *file;	/* the .dwp file */
	uint32_t version;	/* of its index: 2 or 5 */
	struct dwpunit_section parts[DWPUNIT_PARTS];
	unsigned n;
};

/* The bytes of a section of @o, decompressed if needed; they belong to @o. NULL: there is none. */
Elf_Data *dwpunit_section(struct objfile *o, const char *name);

/* Add @size bytes at @offset of the section of this kind, DW_SECT_* of the index's version. Unknown
 * kinds and missing bytes are left out. */
void dwpunit_part(struct dwpunit *u, uint32_t kind, uint32_t offset, uint32_t size);

/* Write the .dwo file, with the strings that the unit uses. 0 or -errno. */
int dwpunit_write(struct dwpunit *u, int fd);

#endif
