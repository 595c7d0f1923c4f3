/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_READING_H
#define MPROF_NAMING_READING_H

#include "base/say.h"
#include "naming/namer.h"
#include "proc/modules.h"

/*
 * The one door to the files of programs: whatever is to be known from them is read in a confined
 * process (confine/apart.h), in one or more parts, each with a result in a file in memory. A file
 * that ends the process, or takes too much, is left out, with a sentence, and the rest is done
 * without it.
 */

struct reading;

struct reading_ops {
	/**
	 * In the confined process: do part @which.
	 * @namer  begun with r->search; the same for all parts that this process does
	 * @out    the file that the result goes to, empty
	 * Returns 0 or -errno.
	 */
	int (*work)(struct reading *r, size_t which, struct namer *namer, int out);
	/* Outside: what part @which came to is in @fd, untrusted. 0, or -errno: it makes no
	 * sense. */
	int (*take)(struct reading *r, size_t which, int fd);
	/* Outside: part @which, from no file at all. NULL: that leaves nothing to be done. */
	void (*without)(struct reading *r, size_t which);
	/* Outside: what reading_tell() has told. May be NULL. 0 or -errno. */
	int (*told)(struct reading *r, size_t which, const char *bytes, size_t n);
};

struct reading {
	const struct reading_ops *ops;
	void *ctx;
	struct symbols_search search;	/* what is in force: nothing in without() */
	/* What may be read: fd -1 of what is left out, and of all in without(). The numbers are
	 * those that struct symbols has for modules. */
	struct resolve_module *files;
	size_t n_files;
	const int *fds;			/* descriptors besides; -1: none */
	size_t n_fds;
	size_t n;			/* parts */
	say_fn *say;			/* told what is left out */
	/* The reading's own. */
	char **why;			/* by file: as in "reading it WHY"; NULL: it is not left
					   out */
	size_t at;			/* parts before this one have been taken */
	int out;
	unsigned fetched;
	bool spoiled;			/* a result made no sense */
};

/**
 * Do all parts. The members in front are set by the caller.
 * @files  copied. Returns 0 or -ENOMEM, then nothing was done; reading_end() is to be called
 *         either way, and may be if this was not.
 */
int reading_run(struct reading *r, const struct resolve_module *files, size_t n_files);
void reading_end(struct reading *r);

/* Files that are open as what is to be read, by their numbers; for free(). NULL: out of memory. */
struct resolve_module *reading_modules(const struct module_files *files);

/* In take(): a result that is plain data of this size. 0, or -EUCLEAN: it is not. */
int reading_take(int fd, void *to, size_t size);

/* In work(): file @file is about to be read; struct symbols tells that by itself. */
void reading_begins(uint32_t file);

/* In work(): the files have been read; if there is no memory for what follows, none is to blame. */
void reading_is_done(void);

/* In work(): what does not belong into the result. 0 or -errno. */
int reading_tell(const void *bytes, size_t n);

#endif
