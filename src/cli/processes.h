/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROCESSES_H
#define MPROF_CLI_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The processes there are: which of them people mean by a number or a name, and whose children they
 * are.
 */

struct pids {
	pid_t *v;
	size_t n, cap;
};

bool pids_have(const struct pids *p, pid_t pid);

/* Once, however often it is added. 0 or -ENOMEM. */
int pids_add(struct pids *p, pid_t pid);
void pids_release(struct pids *p);

enum word_kind {
	WORD_NUMBERS,	/* process numbers, one or more, between them commas or blanks */
	WORD_NAME,
	WORD_WRONG,	/* neither */
};

/* What is written where a process is asked for. Its numbers are added to @out (may be NULL) without
 * asking whether there are such processes. */
enum word_kind processes_word(const char *word, struct pids *out);

/* By what a process may be called. */
struct process_names {
	const char *comm;	/* its name for the kernel, cut after 15 bytes */
	const char *exe;	/* the file that it runs; "": not to be told */
	const char *title;	/* its first argument, which it may have written over */
};

/* The last part of a file's name is enough; of the kernel's name what is left of it. */
bool process_is_called(const struct process_names *p, const char *name);

/* Is it one that people can mean? Not if it is gone, or has ended, or is the kernel's, or is of
 * ours. */
bool process_has_name(pid_t pid, const char *name);

/* All that are called so, in the order of their numbers. 0 or -ENOMEM. */
int processes_named(const char *name, struct pids *out);

/* Add the children of those processes of @p that are from @first on, in one look. 0 or -ENOMEM. */
int processes_add_children(struct pids *p, size_t first);

#endif
