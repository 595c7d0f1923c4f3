/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAP_LINES_H
#define MPROF_PPROF_HEAP_LINES_H

#include "pprof/heapstacks.h"

/*
 * What single lines of the text formats say. Sources: gperftools 2.10 (heap-profile-table.cc,
 * tcmalloc's samples), jemalloc 5.3 (prof_data.c), Go (runtime/pprof), and what google-pprof,
 * jeprof and the newer pprof read. Lines come without white space at their end.
 */

const char *heap_skip_blanks(const char *s);

/* A decimal number that fits, negative or not, and @end behind it; *s moves behind that. */
bool heap_line_number(const char **s, int64_t *n, const char *end);

/* "objects: bytes [objects: bytes]", in use and allocated; *s moves behind it. */
bool heap_line_numbers(const char **s, int64_t value[HEAP_VALUES]);

/* Hexadecimal digits, with or without "0x", and a blank or the end; *s moves behind the digits. */
bool heap_line_address(const char **s, uint64_t *address);

enum heap_map_line {
	MAP_NOTHING,	/* what other makers put there besides: nothing at all, a comment,
			   "build=" */
	MAP_DATA,	/* a mapping that is no code, or that has no file */
	MAP_CODE,
	MAP_REVERSED,	/* a mapping that ends before it begins */
	MAP_WRONG,
};

/* A line of /proc/PID/maps, or its short form "start-end: path". @m: its path is within @line. */
enum heap_map_line heap_line_mapping(char *line, struct pp_mapping *m);

/**
 * A comment in which Go names a frame: "#\t0x46f0e2\tmain.f+0x22\t\t/src/main.go:9".
 * @name  cut off behind the function, with a tab and "file:line" if those are known; for free()
 * Returns 1; 0: it is another comment, *name is NULL; -ENOMEM.
 */
int heap_line_go_frame(const char *line, uint64_t *address, char **name);

#endif
