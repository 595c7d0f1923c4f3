/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_MAPS_H
#define MPROF_PROC_MAPS_H

#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A line of /proc/PID/maps, proc(5). */
struct proc_map {
	taddr start, end;
	uint64_t offset;	/* of start, in the file */
	bool readable, writable, executable;
	bool shared;		/* other processes see what is written */
	dev_t dev;
	ino_t ino;		/* 0: of no file */
	const char *path;	/* the rest of the line, which may have blanks; "": none */
};

/* Parse "START-END" in hexadecimal digits; *s moves behind it. False: it is not that. */
bool proc_map_range(char **s, taddr *start, taddr *end);

/* Parse a line, and cut off its line break; m->path points into it. False: it is not valid. */
bool proc_map_parse(char *line, struct proc_map *m);

/* Called with each mapping; anything but 0 ends the reading. */
typedef int proc_map_fn(const struct proc_map *m, void *ctx);

/* Call @fn with every mapping of a process, in order. Returns what @fn did if that is not 0, or
 * -errno. */
int proc_maps_each(pid_t pid, proc_map_fn *fn, void *ctx);

/* The same with an open /proc/PID/maps. That can be read even if the process has made itself
 * undumpable since. */
int proc_maps_each_of(int fd, proc_map_fn *fn, void *ctx);

/* The mapping at @at, without its file: of an open /proc/PID/maps, without reading all of it. 0,
 * -ENOENT: there is none, or another -errno: the kernel, before 6.11, cannot be asked. */
int proc_map_at(int fd, taddr at, struct proc_map *m);

/* The same as proc_maps_each() with the text of such a file. */
int proc_maps_each_in(const char *text, proc_map_fn *fn, void *ctx);

#endif
