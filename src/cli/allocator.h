/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_ALLOCATOR_H
#define MPROF_CLI_ALLOCATOR_H

#include "heapwalk/walk.h"
#include "still/still.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Which allocators a process has, as far as what it has mapped tells. */

/* The name of the allocator that a library is known for; NULL: none, or glibc's. */
const char *allocator_of_library(const char *path);

/* The name of one that is known by its library, when none could be walked; NULL: there is no such
 * one. */
const char *allocator_not_walked(const struct still *s);

/* The name of another one than that which was walked; NULL: none is known of. */
const char *allocator_beside(const struct still *s, const struct heap_walk *w);

/* The version of the one that was walked, "2.36"; empty: it does not tell, for it is linked into
 * the program. @size bytes at @version. */
void allocator_version(pid_t pid, const struct still *s, const struct heap_walk *w, char *version,
		       size_t size);

/* The version of glibc that a file says it has. False: it says none, in what is looked at of it. */
bool allocator_version_in(int fd, char *version, size_t size);

#endif
