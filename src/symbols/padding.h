/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PADDING_H
#define MPROF_PADDING_H

#include "symbols/objfile.h"

#define PADDED_MAX 16

/* Copies of sections, see padding_add(). A zeroed struct is none. */
struct padding {
	void *copies[PADDED_MAX];
	size_t n;
};

/**
 * See that libdw finds the end of every string in the debug sections of @o. Before
 * dwarf_begin_elf(). libdw looks for the end of a string without regard to that of the section: in
 * a broken file it would read on behind it. Sections that do not end in a zero byte get one, behind
 * their end; so do those of which libdw might read the byte there.
 * @name  a string to add to the end of .debug_str and .debug_line_str; or NULL
 * Returns 0, -ENOMEM, or -E2BIG: more such sections than any real file has.
 */
int padding_add(struct padding *p, struct objfile *o, const char *name);

/* After elf_end(). */
void padding_release(struct padding *p);

#endif
