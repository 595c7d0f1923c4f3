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
 * Make sure that libdw finds the end of every string in the debug sections of @o. To be called
 * before dwarf_begin_elf(). libdw searches for the end of a string without a limit: in a broken
 * file it would read behind the section. Sections that do not end in a zero byte get one behind
 * their end; so do those where libdw might read that byte.
 * @name  a string to append to .debug_str and .debug_line_str; or NULL
 * Returns 0, -ENOMEM, or -E2BIG: more such sections than any real file has.
 */
int padding_add(struct padding *p, struct objfile *o, const char *name);

/* To be called after elf_end(). */
void padding_release(struct padding *p);

#endif
