/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_ALLOCATOR_H
#define MPROF_CLI_ALLOCATOR_H

#include "heapwalk/walk.h"
#include "still/still.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Which allocators a process has, according to its mappings. */

/* The name of the allocator that a library is known for; NULL: none, or glibc's. */
const char *allocator_of_library(const char *path);

/* The name of an allocator recognized by its library, if none could be walked; NULL: none. */
const char *allocator_not_walked(const struct still *s);

/* The name of another allocator than the one that was walked; NULL: none is known. */
const char *allocator_beside(const struct still *s, const struct heap_walk *w);

/* The version of the allocator that was walked, "2.36"; empty: unknown, since it is linked into the
 * program. @version has room for @size bytes. */
void allocator_version(pid_t pid, const struct still *s, const struct heap_walk *w, char *version,
		       size_t size);

/* The glibc version in a file's banner. False: there is no banner in the part that is searched. */
bool allocator_version_in(int fd, char *version, size_t size);

#endif
