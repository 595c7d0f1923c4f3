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
 * written while the program runs. What a user may ask for is in struct heapprofile_options; one
 * struct heapprofile, a recorder, does it for one image.
 */
struct heapprofile;

#define HEAPPROFILE_DEPTH 32	/* frames of a context, if nothing else is asked for */

struct heapprofile_options {
	const char *prefix;	/* of the files' names, with its % sequences; NULL: no profiles */
	struct heap_intervals intervals;
	int signal;		/* that asks for a profile; 0: none */
	unsigned depth;		/* innermost frames that are kept */
	bool mapped;		/* mmap, mremap and sbrk, too */
	bool only_mapped;	/* and nothing else */
	bool log;		/* of those calls */
	bool no_cleanup;	/* leave old files of these names where they are */
	bool quiet;
	bool defer;		/* do not begin before somebody says so */
	bool symbols;		/* files with names in them */
};

/* What a recorder has to know of its image and of who runs it. All of it outlives the recorder. */
struct heapprofile_how {
	const struct heapprofile_options *options;
	const struct profile *profile;
	const struct module_files *files;
	pid_t pid;
	bool first;		/* the session's first image: PREFIX is its own, others have
				   PREFIX_PID */
	bool foreign;		/* the program is another user's: links are not followed */
	unsigned number;	/* of the last file that an earlier image of the process has
				   written */
	uint64_t now_ns;	/* CLOCK_MONOTONIC */
	struct symbols_search search;
	/* The prefix of process @pid from the one in the options; @first as above. For free(), or
	 * NULL with a sentence. */
	char *(*name)(const char *pattern, pid_t pid, bool first, struct error *e);
	/* A line for standard error, as gperftools prints it, and a sentence about what went
	 * wrong. */
	void (*announce)(const char *line);
	void (*complain)(const char *sentence);
	/* The same of a file that could not be written, and that nobody waits for. */
	void (*unwritten)(void *ctx, const char *sentence);
	void *ctx;
};

/**
 * A recorder that is off until heapprofile_start().
 * Returns NULL: out of memory. Belongs to the list of recorders that it is put in.
 */
struct recorder *heapprofile_new(const struct heapprofile_how *how);

/* The heap profiler that such a recorder is; of NULL it is NULL. */
struct heapprofile *heapprofile_of(struct recorder *r);

/**
 * Begin to record, with nothing counted; blocks from before are not known. Nothing if it is on.
 * @prefix  for this process alone, as it is; NULL: that of the options
 * @early   the image has just begun: its profile counts from the same moment on
 * Returns 0, or -errno with a sentence in @e.
 */
int heapprofile_start(struct heapprofile *h, const char *prefix, bool early, uint64_t now_ns,
		      struct error *e);

/* Forget what was counted, write nothing. */
void heapprofile_stop(struct heapprofile *h);
bool heapprofile_is_on(const struct heapprofile *h);

/* Write a profile now, if it is on; errors are printed. @reason is for people. */
void heapprofile_due(struct heapprofile *h, const char *reason);

/**
 * Write a profile for somebody who waits for the answer.
 * @reason  for people
 * @path    its name goes there, for free(); may be NULL
 * Returns 0, -EINVAL (it is off), or -errno with a sentence in @e; nothing has been said of it.
 */
int heapprofile_dump(struct heapprofile *h, const char *reason, char **path, struct error *e);

/* The text of such a profile, for free(); NULL: out of memory. Empty if it is off. */
char *heapprofile_text(struct heapprofile *h, size_t *len);

/* Where the next image of the same process goes on with the numbers of its files. */
unsigned heapprofile_number(const struct heapprofile *h);

#endif
