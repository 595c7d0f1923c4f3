/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_OUTPUTS_H
#define MPROF_OUTPUTS_OUTPUTS_H

#include "outputs/settings.h"
#include "outputs/untold.h"
#include "outputs/unwritten.h"
#include "session/session.h"

/*
 * What a session writes: the data file of each image and its report, and beside them what its
 * outputs do: massif files, heap profiles, event logs. Knows formats and names of files, no option
 * and nobody to talk to but its host.
 */

struct massif_names;

/* Whom the outputs ask. Each function gets the context of outputs_open(). */
struct output_host {
	/* A sentence for the user. */
	say_fn *say;
	/* A line as it is, of a program that mprof stands for. */
	void (*announce)(const char *line);
	/* A step begins that may take long, "writing the report"; NULL: it is over. */
	void (*step)(const char *what);
	/* Print a report; it may leave out of @d what it does not show. @hushed: nothing is said of
	 * it besides. 0; -errno, or 1: it has failed, and why has been said. */
	int (*print)(void *ctx, struct profile_data *d, bool hushed, FILE *out);
	/* One more profile of the page that is being made. @printed: its report has been, and what
	 * that left out is left out here. 0, or -errno with a sentence in @e: it is not in it. */
	int (*page_add)(void *ctx, struct profile_data *d, bool printed, struct error *e);
	/* Write that page, which should have *@n profiles, to a file; the next one begins another
	 * page. 0, *@n being those that it has, or -errno with a sentence in @e. */
	int (*page_write)(void *ctx, const char *path, size_t *n, struct error *e);
	/* A module of a profile lacks names, lines or types, which has been said. */
	void (*lacking)(void *ctx, const struct pd_module *m);
	/* All reports have been printed. */
	void (*printed)(void *ctx);
	/* These functions are named in a massif file. */
	void (*named)(void *ctx, const struct massif_names *names);
};

struct timeline_output {
	struct output base;
	const struct output_settings *settings;
};

/* What programs were told by their environment, as each began. */
struct environments_output {
	struct output base;
	bool python_is_off; /* of one of them: python's own allocator */
};

struct outputs {
	struct session *session;
	struct output_settings settings;
	const struct output_host *host;
	void *host_ctx;
	struct unwritten unwritten;
	struct untold untold;
	char *left_out_text;	/* which programs have no profile; NULL: all have one */
	bool reported;		/* the whole report has been printed */
	int paged;		/* 0, or what the first page that failed has failed of */
	size_t n_paged, to_page; /* profiles that have been added to the page of all, and those that
				    should be in it */
	struct timeline_output timeline;
	struct environments_output environments;
	struct massif_output *massif;	/* NULL: not wanted */
	struct heap_output *heap;
	struct mma_output *mma;		/* NULL: not wanted */
};

/**
 * What a session is to write, before it has seen anything. @s, @host outlive it.
 * Returns 0 or -ENOMEM; to be closed in any case, when the session's images have been released.
 */
int outputs_open(struct outputs *o, struct session *s, const struct output_settings *settings,
		 const struct output_host *host, void *host_ctx);
void outputs_close(struct outputs *o);

/* Say that something could not be written, and remember the sentence. */
__attribute__((format(printf, 2, 3))) void unwritten_say(struct outputs *o, const char *fmt, ...);

/* Is there a file of before @since_ns (CLOCK_REALTIME)? What is written takes its place. */
bool output_replaces(const char *path, uint64_t since_ns);

/* The end of the sentence that tells where a file is, then. */
#define OUTPUT_REPLACED ", in the place of an older one"

/**
 * Open a file that is to be written anew, see overwrite_open(). In a directory of other people's, a
 * link could lead us to any file that root may write: if the program is another user's (@foreign),
 * none is followed. If it is a pipe, somebody who reads it is waited for until a signal tells us to
 * end.
 * Returns a descriptor, or -errno, for overwrite_why(); -ENXIO: nobody has come.
 */
int output_open_for_reader(const char *path, bool foreign);

#endif
