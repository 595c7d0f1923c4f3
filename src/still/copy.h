/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_COPY_H
#define MPROF_STILL_COPY_H

#include "proc/pagemap.h"
#include "still/still.h"

#include <sys/types.h>

/* Copying a process's memory: only pages that are present or swapped. Reading others would allocate
 * a page in the program, or wait for a page fault handler (userfaultfd) that is stopped. Pages that
 * are known to be the kernel's zero page are not copied: a large reservation may have been read. */

/* The /proc files of a process that are needed for it. */
struct still_files {
	pid_t pid; /* a task that has not ended: an ended one has no memory */
	int mem, pagemap;
	bool sealed; /* copy also what was written to and made read-only since */
	bool guarded; /* not for copying: anonymous memory counts whatever its protection */
};

/* 0 or -errno: -ENOENT, -ESRCH (gone), -EACCES, -EPERM. */
int still_files_open(struct still_files *f, pid_t pid);
void still_files_close(struct still_files *f);

/* Memory for the copy. */
struct still_room {
	uint8_t *at;
	uint64_t size;
	uint64_t used;	 /* bytes that were copied, or would have been given time */
	uint64_t copied; /* bytes */
};

/* Make room for @size bytes, all pages present. Existing room is used again if it is large enough.
 * 0 or -ENOMEM. It is not inherited by fork. */
int still_room_make(struct still_room *room, uint64_t size);
void still_room_release(struct still_room *room);

/* Read the areas, as they are now. 0 or -errno. */
int still_read_areas(struct still *s, const struct still_files *f);

/**
 * Call @fn for the pages that are to be copied, in order: of areas that are readable, writable and
 * no device, and not too large for a kernel without PAGEMAP_SCAN; and sealed or guarded ones, if
 * requested.
 * @zeros, @fn, @ctx  as in pagemap_each()
 * @left_out          the bytes of those that are too large are added to it
 * Returns what @fn returned if that is not 0, or -errno.
 */
int still_each_page(const struct still *s, const struct still_files *f, bool *zeros,
		    uint64_t *left_out, page_range_fn *fn, void *ctx);

/* How much there is to copy, in bytes. 0 or -errno. */
int still_measure(const struct still *s, const struct still_files *f, uint64_t *bytes);

/* Which areas are copied. */
enum still_part {
	STILL_ALL,
	STILL_STACKS,	  /* areas with a task's stack */
	STILL_NOT_STACKS, /* the others, afterwards */
};

/**
 * Copy writable areas.
 * @until_ns  of CLOCK_MONOTONIC; then copying ends with -ETIME
 * Returns 0 or -errno, -ENOSPC: there is no room for all of it.
 */
int still_copy(struct still *s, const struct still_files *f, struct still_room *room,
	       enum still_part part, uint64_t until_ns);

#endif
