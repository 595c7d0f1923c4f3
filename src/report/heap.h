/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_HEAP_H
#define MPROF_REPORT_HEAP_H

#include "heapwalk/walk.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* How a process was stopped for a look. */
struct look_facts {
	pid_t pid;
	const char *name;  /* the program's */
	unsigned looks;	   /* how often it was stopped */
	uint64_t pause_ns; /* for how long, in all */
};

/* Blocks of one class. */
struct heap_class_row {
	char *name;
	bool rtti; /* the name comes from type information */
	struct heap_sum sum;
};

struct heap_class_rows {
	struct heap_class_row *v; /* those with type information first, then by bytes */
	size_t n, cap;
	uint64_t unread; /* blocks whose class could not be read */
	bool too_many;	 /* there are more, whose names would take too much memory */
	bool told;	 /* false: classes were not asked for */
};

/* What is on the heap of a process. */
struct heap_report {
	struct look_facts facts;
	const char *allocator, *version; /* "": the version is not known */
	const struct heap_walk *walk;
	const struct heap_class_rows *classes;
	bool all_sizes; /* every size has a line, and every class */
};

/* "process 12 (cat): stopped for 1.2 ms", without the end of the line. */
void report_look(const struct look_facts *f, const char *between, FILE *out);

/* Whether the walk's checks hold: the end of that line, and a line for each check not made. */
void report_checks(const struct heap_walk *w, FILE *out);

/* Members of an object: which process it is, and how it was looked at; and the array of checks. */
struct json_out;
void report_look_json(const struct heap_report *r, struct json_out *o);
void report_checks_json(const struct heap_walk *w, struct json_out *o);

/* The checks that failed, in one piece: "chunks: ..., bins: ... (and 3 more)". */
void report_failed_checks(const struct heap_walk *w, FILE *out);

/* As text, and as JSON, schema mprof.heap.v1. 0 or -errno. */
int report_heap(const struct heap_report *r, FILE *out);
int report_heap_json(const struct heap_report *r, FILE *out);

#endif
