/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAP_READ_INTERNAL_H
#define MPROF_PPROF_HEAP_READ_INTERNAL_H

/* Shared by heap_head.c (the first lines) and heap_read.c (the rest). */

#include "pprof/named.h"
#include "pprof/read.h"

#define HEAD "heap profile:"
#define JEMALLOC_HEAD "heap_v2/"
#define NUMBERS "objects: bytes [objects: bytes]"
#define NO_ADDRESS "no address; expected 0x and hexadecimal digits"
#define NEGATIVE "a number is negative; expected " NUMBERS ", each 0 or more"

struct reader {
	FILE *in;
	const char *name;
	struct heap_stacks *out;
	struct error *e;
	char *line;
	size_t cap, line_number;
	ssize_t len;
	int failed;		/* -errno: the line could not be read, and the sentence is set */
	bool sampled;		/* the numbers are of sampled blocks */
	double period;		/* sampling period in bytes; 0: not given */
	bool threaded;		/* jemalloc's format: a stack, followed by its numbers by thread */
	bool difference;	/* of a difference of two profiles: numbers may be negative */
	struct named named;
	uint64_t *addresses;	/* of the stack in progress */
	size_t n_addresses, cap_addresses;
	bool has_numbers;	/* the "t*" line of the stack in progress has been read */
	size_t n_frames;	/* number of frames of the stack in progress that Go has named */
	struct stack_table raw;	/* stacks of addresses as they are in the file */
};

/* Returns -EINVAL, with the file, the line and @what in the sentence. */
int heap_wrong(const struct reader *r, const char *what);

/* Returns -ENOMEM with a sentence. */
int heap_no_memory(const struct reader *r);

/* Read the next line, without white space at its end. False: there is none, or an error. */
bool heap_next_line(struct reader *r);

bool heap_any_negative(const int64_t value[HEAP_VALUES]);

/* Read the table of names, and the line that tells the kind of the rest. 0, or -errno with a
 * sentence. */
int heap_read_head(struct reader *r);

#endif
