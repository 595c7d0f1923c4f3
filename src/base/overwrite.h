/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_OVERWRITE_H
#define MPROF_BASE_OVERWRITE_H

#include <stdbool.h>

/**
 * Open a file that is to be written anew: it is made, or else emptied; a pipe or a device is only
 * opened. (What may be written whole at the end is written by replace_file().)
 *
 * Another user may have been there first, and would lead whoever has more rights to a file of his
 * choice. So a link is followed only if it is ours or root's; and in a directory where anybody may
 * make files, /tmp above all, a file has to be ours or the directory's owner's and may have no
 * other name. Like fs.protected_* of proc(5), whether these are set or not.
 * @no_link  follow none at all: the directory is for others to rule
 * @flags    O_NONBLOCK or 0
 * Returns a descriptor, or -errno: -ELOOP, a link that is not followed; -EEXIST, a file that is not
 * taken.
 */
int overwrite_open(const char *path, bool no_link, int flags);

/* Would it be refused, as things are now? Nothing is opened: a pipe's reader must not see us come
 * and go. 0, or -errno as above. */
int overwrite_check(const char *path, bool no_link);

/* Why that has failed, for a sentence. */
const char *overwrite_why(int err);

#endif
