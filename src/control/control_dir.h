/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_CONTROL_DIR_H
#define MPROF_CONTROL_CONTROL_DIR_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Where this user's sessions have their control sockets: $XDG_RUNTIME_DIR/mprof, if the variable
 * names a directory of ours (it does not after su, which may keep it); otherwise mprof-UID in the
 * directory for temporary files, where another user may have created it first. A directory is used
 * only if it belongs to us, nobody else can enter it, and it is not a symbolic link.
 */
enum { CONTROL_DIR_MAX = 84, CONTROL_DIRS = 2 };

struct control_dirs {
	char path[CONTROL_DIRS][CONTROL_DIR_MAX];
	size_t n;
};

/**
 * The first directory that can be used, created if it is not there.
 * Returns 0 or -errno with a sentence in @e; with 0 there is a sentence, too, if another one was
 * refused.
 */
int control_dir_make(char path[CONTROL_DIR_MAX], struct error *e);

/**
 * All directories that exist and may be used: a session may have had another environment than ours.
 * Returns 0, or -errno with a sentence in @e: there is none, for another reason than that no
 * session has made one.
 */
int control_dirs_find(struct control_dirs *d, struct error *e);

/* True if it is a directory that belongs to us, or a link to one. */
bool control_dir_is_ours(const char *path);

/**
 * The number that a user has outside of our user namespace.
 * @map       the text of /proc/self/uid_map, see user_namespaces(7)
 * @nobody    the overflow uid, which stands for all users that are not mapped
 * False: @uid is not mapped, or cannot be told from those that are not: then no file's owner is
 * known to be us.
 */
bool uid_outside(const char *map, uid_t uid, uid_t nobody, uid_t *outside);

#endif
