/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_OVERWRITE_H
#define MPROF_BASE_OVERWRITE_H

#include <stdbool.h>

/**
 * Open a file that is to be written from the start: it is created or emptied; a pipe or a device is
 * only opened. (Files that can be written at once, at the end, are written by replace_file().)
 *
 * Another user may have created a file or link at that name, to make a process with more rights
 * write to a file of that user's choice. So a link is followed only if it is ours or root's; and in
 * a directory that is writable for all, such as /tmp, a file has to be ours or the directory
 * owner's and may have no other hard link. Like fs.protected_* of proc(5), whether these are set or
 * not.
 * @no_link  follow no link at all: others may control the directory
 * @flags    O_NONBLOCK or 0
 * Returns a descriptor, or -errno: -ELOOP, a link that is not followed; -EEXIST, a file that is not
 * used.
 */
int overwrite_open(const char *path, bool no_link, int flags);

/* As overwrite_open(), without waiting for anything: -ENXIO if nobody reads a pipe. Writing to the
 * descriptor does wait. */
int overwrite_open_now(const char *path, bool no_link);

/* Would overwrite_open() refuse the file now? Nothing is opened: a pipe's reader must not see us
 * open and close it. 0, or -errno as above. */
int overwrite_check(const char *path, bool no_link);

/* Why it has failed, for a sentence. */
const char *overwrite_why(int err);

#endif
