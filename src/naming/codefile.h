/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_CODEFILE_H
#define MPROF_NAMING_CODEFILE_H

#include "symbols/objfile.h"

/* The file of a module, by a path that a profile has for it: it is there, and is the same build. */
struct codefile {
	struct objfile file;
	char build_id[BUILD_ID_MAX];	/* "": it has none */
};

#define CODEFILE_NONE ((struct codefile){ .file = OBJFILE_NONE })

/**
 * @build_id  what the file must have; "": whatever it has
 * False: there is no such ELF file; then there is nothing to close.
 */
bool codefile_open(struct codefile *f, const char *path, const char *build_id);

/* None may be closed, too. */
void codefile_close(struct codefile *f);

/* A segment of code: from @offset of the file on what is from @address on in the module. */
struct code_segment {
	uint64_t offset, file_size;
	uint64_t address, size;
};

/* The next segment of code from the *i-th of all on, 0 at first. False: there is no more. */
bool codefile_segment(struct codefile *f, size_t *i, struct code_segment *s);

#endif
