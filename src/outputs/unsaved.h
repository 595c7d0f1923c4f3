/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNSAVED_H
#define MPROF_OUTPUTS_UNSAVED_H

#include "outputs/outputs.h"

/*
 * Which files of a session could not be written and can still be, since what belongs in them is in
 * memory: profiles and massif files. All that acts on them acts on this list.
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

/* After output_session(). 0 or -ENOMEM; to be released in any case. */
int unsaved_list(const struct outputs *o, struct unsaved *u);
void unsaved_release(struct unsaved *u);

/* Is it still? */
bool unsaved_is(const struct outputs *o, const struct unsaved_file *f);

/* Where it belongs, or has been written, absolutely; for free(), or NULL: that is not known. */
char *unsaved_name(const struct outputs *o, const struct unsaved_file *f);

/* What people call it, "profile". */
const char *unsaved_kind_name(enum unsaved_kind kind);

/**
 * Another try for all of them, to @path instead of where they belong: the profile to @path, the
 * massif file there too if no profile waits, else to @path.massif; with .PID and .N for further
 * ones.
 * Returns 0, or -errno after saying what could not be written and why; that waits where it did.
 */
int unsaved_save_elsewhere(struct outputs *o, const char *path);

#endif
