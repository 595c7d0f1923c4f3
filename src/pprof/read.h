/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_READ_H
#define MPROF_PPROF_READ_H

#include "pprof/heapstacks.h"
#include "profile/profile_data.h"
#include "naming/namer.h"

#include <stdio.h>

/* What a file is, by its first bytes; if they tell nothing, by its name (.heap, .pb.gz, .pb). */
enum heap_file { HEAP_FILE_OTHER, HEAP_FILE_TEXT, HEAP_FILE_PROTO };

/* HEAP_FILE_OTHER also if it cannot be opened. */
enum heap_file heap_file_kind(const char *path);

/*
 * Readers. Files are untrusted: whatever is wrong is told with the file and, where there are lines,
 * the line. Each fills an empty @out, which is to be released even after an error.
 * They return 0, or -errno with a sentence.
 */

/**
 * Text of the gperftools heap profiler, of tcmalloc's and jemalloc's sampling, of Go, and of
 * whoever writes the same: sampled numbers are corrected as pprof does. Names are there only if the
 * file has them, in a table or, as Go's, in comments.
 */
int heap_read_text(FILE *in, const char *name, struct heap_stacks *out, struct error *e);

/* profile.proto, compressed or not. */
int heap_read_proto(const char *path, struct heap_stacks *out, struct error *e);

/**
 * Of a profile of our own, with its names. There are no addresses of the running process in it:
 * each module is put to a place of its own, laid out like its file if that is still there.
 * @say  told of a file that ends who reads it, in a confined process
 */
int heap_from_data(const struct profile_data *d, say_fn *say, struct heap_stacks *out,
		   struct error *e);

/**
 * Give names to the locations that have none, from the files that were mapped, which are read in a
 * confined process.
 * @binary  the program's file, if it is not where it was; NULL
 * @say     told what is left out
 * 0 or -ENOMEM. What cannot be named keeps its address.
 */
int heap_name(struct heap_stacks *h, const char *binary, const struct symbols_search *search,
	      say_fn *say);

#endif
