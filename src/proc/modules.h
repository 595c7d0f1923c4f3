/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROC_MODULES_H
#define MPROF_PROC_MODULES_H

#include "base/error.h"
#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/*
 * The files whose code is mapped in an address space. A module is identified by device and inode,
 * so a library that is loaded again, elsewhere, is the same module.
 * A file that has been overwritten in place is another module to processes that map it afterwards.
 */

#define NO_FILE UINT32_MAX	/* the number of no module file */

/* A file with code, once for the whole session however many processes map it. */
struct module_file {
	dev_t dev;
	ino_t ino;
	char *path;	/* as the program sees it; "[vdso]" */
	int fd;		/* open for reading, -1: no file to read (vdso) */
	bool told_gone;	/* see module_file_is_gone() */
	/* Its time and size when it was opened. */
	struct timespec written;
	off_t size;
};

/* Could it not be opened because it has been replaced or deleted since it was mapped? Then only
 * a process that may follow /proc/PID/map_files can read it. */
bool module_file_is_gone(const struct module_file *f);

/* What following them takes, as a phrase. */
#define MODULE_FILE_TAKES "root, or CAP_CHECKPOINT_RESTORE"

/* Numbers of module files never change; they are what chains and reports refer to. */
struct module_files {
	struct module_file *files;
	size_t n, cap;
};

void module_files_release(struct module_files *f);

/* The fd of a file that was mapped, or -1 if the file has been overwritten since it was opened, as
 * far as its time and size tell. */
int module_file_fd(const struct module_file *f);

/* A module as it is mapped: one for each executable mapping of a file. */
struct mapping {
	taddr start, end;	/* the executable mapping */
	uint64_t file_offset;	/* of start */
	taddr bias;		/* load bias: what to add to an address in the file */
	/* The file's read-only segments, code or not; empty if writable ones are in between. */
	taddr image_start, image_end;
	uint32_t file;		/* number in struct module_files */
};

struct mappings {
	struct mapping *maps;	/* sorted by start */
	size_t n, cap;
};

void mappings_release(struct mappings *m);

/**
 * Read which files a process has mapped for execution. New files are added to @files and opened
 * through /proc/TID/map_files, which finds the very file that is mapped even if the program lives
 * in another mount namespace or the file has been replaced; if that is not permitted, by its name
 * inside of the process's root (proc/inside.h), or /proc/TID/exe for the program itself, taken only
 * if device and inode are the same. Only regular files are opened.
 * @tid  any task of it that has not ended
 * Returns 0, -ENOMEM, -EMFILE or -ENFILE if not all can be opened, or -errno if the maps could not
 * be read (the task has ended: -ESRCH).
 */
int mappings_read(pid_t tid, struct module_files *files, struct mappings *out);

/* As mappings_read(), of a process that had @was before: a file that is still mapped keeps its
 * number. */
int mappings_read_again(pid_t tid, struct module_files *files, const struct mappings *was,
			struct mappings *out);

/* Executable memory, of a file or not. */
struct code_range {
	taddr start, end;
};

struct code_ranges {
	struct code_range *v;	/* sorted by start */
	size_t n, cap;
};

void code_ranges_release(struct code_ranges *c);

/* Read all executable memory of a process, in place of what @c has. 0 or -errno. */
int code_ranges_read(pid_t tid, struct code_ranges *c);
bool code_ranges_have(const struct code_ranges *c, taddr pc);

/* The number of the program's own file, which /proc/TID/exe is; NO_FILE: it is not mapped. By the
 * inode alone: on stacked file systems the maps have another device than stat(2). */
uint32_t mappings_program(const struct mappings *m, const struct module_files *f, pid_t tid);

/* 0 or -ENOMEM. */
int mappings_copy(struct mappings *to, const struct mappings *from);

/* The executable mapping that contains @pc, or NULL. */
const struct mapping *mappings_find(const struct mappings *m, taddr pc);

/* The executable mapping of the file @path whose data contains @at: the last executable mapping
 * that begins in front of @at. NULL: that is another file's. */
const struct mapping *mappings_of_data(const struct mappings *m, const struct module_files *files,
				       taddr at, const char *path);

#endif
