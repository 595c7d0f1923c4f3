/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAP_LINES_H
#define MPROF_PPROF_HEAP_LINES_H

#include "pprof/heapstacks.h"

/*
 * Parses single lines of the text formats. Sources: gperftools 2.10 (heap-profile-table.cc,
 * tcmalloc's samples), jemalloc 5.3 (prof_data.c), Go (runtime/pprof), and what google-pprof,
 * jeprof and the newer pprof read. Lines have no white space at their end.
 */

/* Skips blanks and tabs. */
const char *heap_skip_blanks(const char *s);

/* A decimal number that fits, maybe negative, followed by @end; *s moves past that. */
bool heap_line_number(const char **s, int64_t *n, const char *end);

/* "objects: bytes [objects: bytes]", in use and allocated; *s moves past it. */
bool heap_line_numbers(const char **s, int64_t value[HEAP_VALUES]);

/* Hexadecimal digits, with or without "0x", followed by a blank or the end; *s moves past the
 * digits. */
bool heap_line_address(const char **s, uint64_t *address);

enum heap_map_line {
	MAP_NOTHING,	/* an empty line, a comment, or "build=", which other writers put there */
	MAP_DATA,	/* a mapping that is not code, or has no file */
	MAP_CODE,
	MAP_REVERSED,	/* a mapping whose end is below its start */
	MAP_WRONG,
};

/* Parse a line of /proc/PID/maps, or its short form "start-end: path". @m: its path points into
 * @line. */
enum heap_map_line heap_line_mapping(char *line, struct pp_mapping *m);

/**
 * Parse a comment by which Go names a frame: "#\t0x46f0e2\tmain.f+0x22\t\t/src/main.go:9".
 * @name  set to the function, followed by a tab and "file:line" if known; for free()
 * Returns 1; 0: it is another comment, *name is NULL; -ENOMEM.
 */
int heap_line_go_frame(const char *line, uint64_t *address, char **name);

#endif
