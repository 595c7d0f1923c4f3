/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PROCESSES_H
#define MPROF_CLI_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The processes of the system: which of them users mean by a number or a name, and their children.
 */

struct pids {
	pid_t *v;
	size_t n, cap;
};

/* True if @pid is one of them. */
bool pids_have(const struct pids *p, pid_t pid);

/* Add a process, once. 0 or -ENOMEM. */
int pids_add(struct pids *p, pid_t pid);
void pids_release(struct pids *p);

enum word_kind {
	WORD_NUMBERS,	/* pids, one or more, separated by commas or blanks */
	WORD_NAME,
	WORD_WRONG,	/* neither */
};

/* The kind of an argument for processes. Its pids are added to @out (may be NULL) without checking
 * that these processes exist. */
enum word_kind processes_word(const char *word, struct pids *out);

/* The names of a process. */
struct process_names {
	const char *comm;	/* its comm, cut after 15 bytes */
	const char *exe;	/* the file that it runs; "": unknown */
	const char *title;	/* its first argument, which it may have overwritten */
};

/* Compare with a name: the last component of a file name is enough; comm is compared as cut by the
 * kernel. */
bool process_is_called(const struct process_names *p, const char *name);

/* True if users may mean it: not if it has ended, is a kernel thread or a process of mprof. */
bool process_has_name(pid_t pid, const char *name);

/* All processes of this name, sorted. 0 or -ENOMEM. */
int processes_named(const char *name, struct pids *out);

/* Add the children of the processes of @p from index @first on, in one pass. 0 or -ENOMEM. */
int processes_add_children(struct pids *p, size_t first);

#endif
