/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPPROFILE_H
#define MPROF_HEAPPROFILE_H

#include "proc/modules.h"
#include "base/error.h"
#include "heapprofile/intervals.h"
#include "record/recorder.h"
#include "naming/namer.h"

#include <stdio.h>

/*
 * A sequence of heap profiles of a program image, in the format of the gperftools heap profiler,
 * written while the program runs. The options are in struct heapprofile_options; a struct
 * heapprofile is the recorder of one image.
 */
struct heapprofile;

#define HEAPPROFILE_DEPTH 32	/* default for the frames of a context */

struct heapprofile_options {
	const char *prefix;	/* of file names, a pattern with % sequences; NULL: no profiles */
	struct heap_intervals intervals;
	int signal;		/* signal that asks for a profile; 0: none */
	unsigned depth;		/* number of innermost frames to keep */
	bool mapped;		/* record mmap, mremap and sbrk, too */
	bool only_mapped;	/* record nothing else */
	bool log;		/* log those calls */
	bool no_cleanup;	/* leave old files of these names alone */
	bool quiet;
	bool defer;		/* do not begin until a client asks for it */
	bool symbols;		/* write files with names */
};

/* What a recorder needs; all of it must outlive the recorder. */
struct heapprofile_how {
	const struct heapprofile_options *options;
	const struct profile *profile;
	const struct module_files *files;
	pid_t pid;
	bool first;		/* the session's first image: its files are PREFIX.*, others have
				   PREFIX_PID */
	bool foreign;		/* the program is another user's: links are not followed */
	unsigned number;	/* of the last file of an earlier image of the process */
	uint64_t now_ns;	/* CLOCK_MONOTONIC */
	struct symbols_search search;
	/* Make the prefix for process @pid from that of the options; @first as above. For free(),
	 * or NULL with a sentence in @e. */
	char *(*name)(const char *pattern, pid_t pid, bool first, struct error *e);
	/* Print a line to standard error, as gperftools does; and a sentence on an error. */
	void (*announce)(const char *line);
	void (*complain)(const char *sentence);
	/* Report a file that could not be written, unless it was for a client. */
	void (*unwritten)(void *ctx, const char *sentence);
	/* Wait for the process that writes a file; its status. */
	int (*await)(void *ctx, pid_t pid);
	void *ctx;
};

/**
 * Make a recorder; it is off until heapprofile_start(). Owned by the list that it is put in. NULL:
 * out of memory.
 */
struct recorder *heapprofile_new(const struct heapprofile_how *how);

/* The heap profiler of such a recorder; NULL becomes NULL. */
struct heapprofile *heapprofile_of(struct recorder *r);

/**
 * Begin to record with nothing counted; blocks from before are unknown. Does nothing if it is on.
 * @prefix  for this process alone, not a pattern; NULL: that of the options
 * @early   the image has just begun, so its profile counts from the same moment
 * Returns 0, or -errno with a sentence in @e.
 */
int heapprofile_start(struct heapprofile *h, const char *prefix, bool early, uint64_t now_ns,
		      struct error *e);

/* Discard what was counted, and write nothing. */
void heapprofile_stop(struct heapprofile *h);
bool heapprofile_is_on(const struct heapprofile *h);

/* Write a profile now, if it is on; errors are printed. @reason: for people. */
void heapprofile_due(struct heapprofile *h, const char *reason);

/**
 * Write a profile for a client.
 * @reason  for people
 * @path    set to its name, for free(); may be NULL
 * Returns 0, -EINVAL (it is off), or -errno with a sentence in @e; nothing has been said about it.
 */
int heapprofile_dump(struct heapprofile *h, const char *reason, char **path, struct error *e);

/* The text of a profile, for free(); NULL: out of memory. Empty if it is off. */
char *heapprofile_text(struct heapprofile *h, size_t *len);

/* The number of the last file, after which the next image of the process continues. */
unsigned heapprofile_number(const struct heapprofile *h);

#endif
