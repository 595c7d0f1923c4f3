/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_CONTROL_DIR_H
#define MPROF_CONTROL_CONTROL_DIR_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Where this user's sessions have their control sockets: $XDG_RUNTIME_DIR/mprof, if that variable
 * names a directory of ours, which it does not for who has become another user and kept it; else
 * mprof-UID in the directory for temporary files, where anybody may have been first. A directory is
 * used only if it belongs to us, nobody else can enter it, and it is no link.
 */
enum { CONTROL_DIR_MAX = 84, CONTROL_DIRS = 2 };

struct control_dirs {
	char path[CONTROL_DIRS][CONTROL_DIR_MAX];
	size_t n;
};

/**
 * The first that can be used; it is made if it is not there.
 * Returns 0 or -errno with a sentence in @e; with 0 there is one, too, if another one was refused.
 */
int control_dir_make(char path[CONTROL_DIR_MAX], struct error *e);

/**
 * Those that are there and may be used: a session need not have had the environment that we have.
 * Returns 0, or -errno with a sentence in @e: there is none, and not for want of sessions.
 */
int control_dirs_find(struct control_dirs *d, struct error *e);

/**
 * The number that a user has outside of our user namespace.
 * @map       what /proc/self/uid_map has, see user_namespaces(7)
 * @nobody    the number that stands for all who have none in here
 * False: it has none, or cannot be told from theirs: no file's owner is known to be us.
 */
bool uid_outside(const char *map, uid_t uid, uid_t nobody, uid_t *outside);

#endif
