/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_READ_H
#define MPROF_PPROF_READ_H

#include "pprof/heapstacks.h"
#include "profile/profile_data.h"
#include "naming/namer.h"

#include <stdio.h>

/* The kind of a file, by its first bytes; if they are not conclusive, by its name (.heap, .pb.gz,
 * .pb). */
enum heap_file { HEAP_FILE_OTHER, HEAP_FILE_TEXT, HEAP_FILE_PROTO };

/* HEAP_FILE_OTHER also if it cannot be opened. */
enum heap_file heap_file_kind(const char *path);

/*
 * Readers. Files are untrusted: errors name the file and, if there are lines, the line. Each fills
 * an empty @out, which must be released even after an error. They return 0, or -errno with a
 * sentence.
 */

/**
 * Read the text format of the gperftools heap profiler, of tcmalloc's and jemalloc's sampling, and
 * of Go. Sampled numbers are scaled up as pprof does it. Names are there only if the file has them,
 * in a table or, in Go's files, in comments.
 */
int heap_read_text(FILE *in, const char *name, struct heap_stacks *out, struct error *e);

/* profile.proto, compressed or not. */
int heap_read_proto(const char *path, struct heap_stacks *out, struct error *e);

/**
 * Convert a profile of our own, with its names. It has no addresses of the running process: each
 * module is placed at an address of its own, with the layout of its file if that still exists.
 * @say  told of files whose reader, in a confined process, was ended
 */
int heap_from_data(const struct profile_data *d, say_fn *say, struct heap_stacks *out,
		   struct error *e);

/**
 * Look up names for the locations that have none, in the files that were mapped, which are read in
 * a confined process.
 * @binary  the program's file, if it is at another path now; or NULL
 * @say     told what is left out
 * 0 or -ENOMEM. What cannot be named keeps its address.
 */
int heap_name(struct heap_stacks *h, const char *binary, const struct symbols_search *search,
	      say_fn *say);

#endif
