/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_STILL_COPY_H
#define MPROF_STILL_COPY_H

#include "proc/pagemap.h"
#include "still/still.h"

#include <sys/types.h>

/* Copying what a process has in memory: pages that are present, or swapped, and no others. Reading
 * one that is not there would give the program a page, or wait for somebody who is stopped. */

/* The files of a process that are needed for it, opened while it is known who may. */
struct still_files {
	pid_t pid; /* of a task that has not ended: without one there is no memory */
	int mem, pagemap;
	bool sealed; /* what was written to and cannot be any more is copied, too */
	bool guarded; /* not for copying: anonymous memory counts however it is protected */
};

/* 0 or -errno: -ENOENT, -ESRCH (gone), -EACCES, -EPERM. */
int still_files_open(struct still_files *f, pid_t pid);
void still_files_close(struct still_files *f);

/* Where the bytes go. */
struct still_room {
	uint8_t *at;
	uint64_t size;
	uint64_t used;	 /* is copied, or would have been in time */
	uint64_t copied; /* bytes */
};

/* Room for @size bytes that can be written to at once: its pages are there. What there is of it is
 * used again, if it is large enough. 0 or -ENOMEM. Forks do not have it. */
int still_room_make(struct still_room *room, uint64_t size);
void still_room_release(struct still_room *room);

/* The areas, as they are now. 0 or -errno. */
int still_read_areas(struct still *s, const struct still_files *f);

/**
 * The pages that are copied, in order: of areas that are readable, writable and no device, and not
 * too large for a kernel that does not pass over holes; and those that are sealed or guarded, if
 * they are asked for.
 * @zeros, @fn, @ctx  as in pagemap_each()
 * @left_out          the bytes of those that are too large are added to it
 * Returns what @fn did if that is not 0, or -errno.
 */
int still_each_page(const struct still *s, const struct still_files *f, bool *zeros,
		    uint64_t *left_out, page_range_fn *fn, void *ctx);

/* What copying would take, in bytes. 0 or -errno. */
int still_measure(const struct still *s, const struct still_files *f, uint64_t *bytes);

/* Which areas are copied. */
enum still_part {
	STILL_ALL,
	STILL_STACKS,	  /* those that have a task's stack */
	STILL_NOT_STACKS, /* the others, afterwards */
};

/**
 * Copy writable areas.
 * @until_ns  of CLOCK_MONOTONIC; the copying ends with -ETIME then
 * Returns 0 or -errno, -ENOSPC: there is no room for all of it.
 */
int still_copy(struct still *s, const struct still_files *f, struct still_room *room,
	       enum still_part part, uint64_t until_ns);

#endif
