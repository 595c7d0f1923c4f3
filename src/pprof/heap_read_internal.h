/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAP_READ_INTERNAL_H
#define MPROF_PPROF_HEAP_READ_INTERNAL_H

/* What the files that read text have in common: heap_head.c (the first lines), heap_read.c (all
 * else). */

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
	int failed;		/* -errno: the line could not be taken, and a sentence has been
				   made */
	bool sampled;		/* the numbers are those of some blocks, which stand for others */
	double period;		/* of sampling; 0: it is not told */
	bool threaded;		/* jemalloc's form: a stack, and below it its numbers by thread */
	bool difference;	/* of two profiles: numbers may be negative */
	struct named named;
	uint64_t *addresses;	/* of the stack in progress */
	size_t n_addresses, cap_addresses;
	bool has_numbers;	/* the stack in progress: jemalloc's "t*" has been read */
	size_t n_frames;	/* of the stack in progress that Go has named */
	struct stack_table raw;	/* of addresses as they are in the file */
};

/* -EINVAL, with the file, the line and @what in the sentence. */
int heap_wrong(const struct reader *r, const char *what);

/* -ENOMEM with a sentence. */
int heap_no_memory(const struct reader *r);

/* The next line, without white space at its end. False: there is none, or it cannot be taken. */
bool heap_next_line(struct reader *r);

bool heap_any_negative(const int64_t value[HEAP_VALUES]);

/* The table of names, and the line that says of what kind the rest is. 0, or -errno with a
 * sentence. */
int heap_read_head(struct reader *r);

#endif
