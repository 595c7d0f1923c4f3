/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNSAVED_H
#define MPROF_OUTPUTS_UNSAVED_H

#include "outputs/outputs.h"

/*
 * The files of a session that could not be written and can still be, since their content is in
 * memory: profiles and massif files. Whatever acts on them uses this list.
 */

enum unsaved_kind { UNSAVED_PROFILE, UNSAVED_MASSIF };

struct unsaved_file {
	struct image *image;
	enum unsaved_kind kind;
};

struct unsaved {
	struct unsaved_file *files;
	size_t n, cap;
};

/* Fill the list; call it after output_session(). 0 or -ENOMEM; to be released in any case. */
int unsaved_list(const struct outputs *o, struct unsaved *u);
void unsaved_release(struct unsaved *u);

/* True if the file is still unsaved. */
bool unsaved_is(const struct outputs *o, const struct unsaved_file *f);

/* The absolute name of the file; for free(), or NULL: not known. */
char *unsaved_name(const struct outputs *o, const struct unsaved_file *f);

/* The word for users, "profile". */
const char *unsaved_kind_name(enum unsaved_kind kind);

/**
 * Try again to write all of them, to @path instead of their own names: the profile to @path, the
 * massif file to @path if no profile is unsaved, else to @path.massif; further ones with .PID and
 * .N.
 * Returns 0, or -errno after saying what could not be written and why; what was not remains
 * unsaved.
 */
int unsaved_save_elsewhere(struct outputs *o, const char *path);

#endif
