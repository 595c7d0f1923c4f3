/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_OUTPUTS_H
#define MPROF_OUTPUTS_OUTPUTS_H

#include "outputs/settings.h"
#include "outputs/untold.h"
#include "outputs/unwritten.h"
#include "session/session.h"

/*
 * What a session writes: the data file of each image and its report, and the files of its outputs:
 * massif files, heap profiles, event logs. It knows formats and names of files, no option, and
 * talks to its host only.
 */

struct massif_names;

/* The caller's functions. Each gets the context of outputs_open(). */
struct output_host {
	/* Print a sentence for the user. */
	say_fn *say;
	/* Print a line unchanged, for a program whose interface mprof imitates. */
	void (*announce)(const char *line);
	/* A step begins that may take long, "writing the report"; NULL: it has ended. */
	void (*step)(const char *what);
	/* Print a report; may remove from @d what it does not show. @hushed: no sentences about it.
	 * 0; -errno, or 1: it has failed, and why has been said. */
	int (*print)(void *ctx, struct profile_data *d, bool hushed, FILE *out);
	/* Add a profile to the page that is being made. @printed: its report has been printed,
	 * and what it left out is missing in @d. 0, or -errno with a sentence in @e: it was not
	 * added. */
	int (*page_add)(void *ctx, struct profile_data *d, bool printed, struct error *e);
	/* Write that page, which should have *@n profiles, to a file; the next profile begins
	 * another page. 0, and *@n is the number that it has, or -errno with a sentence in @e. */
	int (*page_write)(void *ctx, const char *path, size_t *n, struct error *e);
	/* A module of a profile lacks names, lines or types, which has been said. */
	void (*lacking)(void *ctx, const struct pd_module *m);
	/* All reports have been printed. */
	void (*printed)(void *ctx);
	/* A massif file names these functions. */
	void (*named)(void *ctx, const struct massif_names *names);
};

struct timeline_output {
	struct output base;
	const struct output_settings *settings;
};

/* Settings in the environment of programs, read as each began. */
struct environments_output {
	struct output base;
	bool python_is_off; /* one of them has disabled python's own allocator */
};

struct outputs {
	struct session *session;
	struct output_settings settings;
	const struct output_host *host;
	void *host_ctx;
	struct unwritten unwritten;
	struct untold untold;
	char *left_out_text;	/* which programs have no profile; NULL: all have one */
	bool reported;		/* all reports have been printed */
	int paged;		/* 0, or -errno of the first page that failed */
	size_t n_paged, to_page; /* number of profiles added to the joint page, and of those that
				    should be in it */
	struct timeline_output timeline;
	struct environments_output environments;
	struct massif_output *massif;	/* NULL: not wanted */
	struct heap_output *heap;
	struct mma_output *mma;		/* NULL: not wanted */
};

/**
 * Set up what a session is to write, before it has observed anything. @s and @host must outlive it.
 * Returns 0 or -ENOMEM; must be closed in any case, after the session's images have been released.
 */
int outputs_open(struct outputs *o, struct session *s, const struct output_settings *settings,
		 const struct output_host *host, void *host_ctx);
void outputs_close(struct outputs *o);

/* Say that something could not be written, and remember the sentence. */
__attribute__((format(printf, 2, 3))) void unwritten_say(struct outputs *o, const char *fmt, ...);

/* True if there is a file older than @since_ns (CLOCK_REALTIME), which is about to be replaced. */
bool output_replaces(const char *path, uint64_t since_ns);

/* The end of the sentence that says where a file is, if so. */
#define OUTPUT_REPLACED ", in the place of an older one"

/**
 * Open a file that is to be overwritten, see overwrite_open(). In a directory of another user, a
 * link could lead to any file that root may write: if the program is another user's (@foreign),
 * links are not followed. If it is a pipe, waits for a reader until a signal asks us to end.
 * Returns a descriptor, or -errno, for overwrite_why(); -ENXIO: there was no reader.
 */
int output_open_for_reader(const char *path, bool foreign);

#endif
