/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_READING_H
#define MPROF_NAMING_READING_H

#include "base/say.h"
#include "naming/namer.h"
#include "proc/modules.h"

/*
 * Reading files of programs in a confined process (confine/apart.h), in one or more parts, each of
 * which has a result in a memfd; this room reads them in no other way. A file that ends the
 * process, or takes too much time or memory, is left out, with a sentence, and the rest is done
 * without it.
 */

struct apart;
struct reading;

struct reading_ops {
	/**
	 * In the confined process: do part @which.
	 * @namer  made with r->search; the same for all parts that this process does
	 * @out    an empty file for the result
	 * Returns 0 or -errno.
	 */
	int (*work)(struct reading *r, size_t which, struct namer *namer, int out);
	/* Outside: the result of part @which is in @fd, untrusted. 0, or -errno: it is
	 * invalid. */
	int (*take)(struct reading *r, size_t which, int fd);
	/* Outside: do part @which without any file. NULL: there is nothing to do then. */
	void (*without)(struct reading *r, size_t which);
	/* Outside: the bytes that work() passed to reading_tell(). May be NULL. 0 or -errno. */
	int (*told)(struct reading *r, size_t which, const char *bytes, size_t n);
};

struct reading {
	const struct reading_ops *ops;
	void *ctx;
	struct symbols_search search;	/* in use; empty in without() */
	/* The files; fd is -1 for those left out, and for all in without(). Their numbers are those
	 * of the modules of struct symbols. */
	struct resolve_module *files;
	size_t n_files;
	const int *fds;			/* other descriptors for the process; -1: none */
	size_t n_fds;
	size_t n;			/* parts */
	say_fn *say;			/* told what is left out */
	/* Called several times a second while the confined process works; may be NULL. */
	void (*waits)(void *ctx);
	void *waits_ctx;
	/* Private: */
	char **why;			/* by file: why it was left out, as in "reading it WHY"; or
					   NULL */
	size_t at;			/* number of parts taken so far */
	int out;
	unsigned fetched;
	size_t said, cached;		/* requests of this process */
	bool spoiled;			/* a result was invalid */
	struct apart *kept;		/* waits for the next question; NULL: none */
	size_t kept_asked;		/* questions that it has answered */
	unsigned tries;			/* files that have ended a process that was kept */
};

/**
 * Do all parts. The caller sets the members before the private ones.
 * @files  copied. Returns 0, or -ENOMEM: then nothing was done. reading_end() must be called in any
 *         case, and may be called without this.
 */
int reading_run(struct reading *r, const struct resolve_module *files, size_t n_files);
void reading_end(struct reading *r);

/*
 * The same with one process that is kept, and is asked: part 0 is a question each time. When work()
 * is called, the bytes of the question are in @out, which it empties for the result. Only where
 * apart_can_pause() is true.
 */

/* Read these files from now on, which begin with those so far; a process that is kept ends if there
 * are new ones. 0 or -ENOMEM. */
int reading_keep(struct reading *r, const struct resolve_module *files, size_t n_files);

/* Have a question answered. */
void reading_ask(struct reading *r, const void *question, size_t size);

/* Open files as what is to be read, by their numbers; for free(). NULL: out of memory. */
struct resolve_module *reading_modules(const struct module_files *files);

/* In take(): read a result that is plain data of this size. 0, or -EUCLEAN: it has another size. */
int reading_take(int fd, void *to, size_t size);

/* In work(): file @file will be read next. struct symbols calls this itself. */
void reading_begins(uint32_t file);

/* In work(): all files have been read, so that no file is blamed for what follows. */
void reading_is_done(void);

/* In work(): pass bytes to told(), besides the result. 0 or -errno. */
int reading_tell(const void *bytes, size_t n);

#endif
