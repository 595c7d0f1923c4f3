/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_SETTINGS_H
#define MPROF_OUTPUTS_SETTINGS_H

#include "heapprofile/heapprofile.h"
#include "massif/settings.h"
#include "symbols/symbols.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * What a session is to write, and where. File names are patterns with % sequences; NULL: that file
 * is not wanted. All of it must outlive the session.
 */

struct massif_files {
	const char *file;
	struct massif_settings settings; /* also of the timeline that every profile has */
	const char *desc;	/* the options, for the desc: line of a file; NULL: not known */
};

/* How the name of a page ends, for browsers. */
#define PAGE_ENDING ".html"

/* Stands between the name of a data file and the number of a snapshot, for --snapshot-when. */
#define SNAPSHOT_ENDING ".snapshot."

struct mma_files {
	const char *log_file, *stats_file;
	bool plain;	/* not humanized: for programs that parse it; no progress messages */
};

/* For which files the source of their names is told: those that lack lines or types, with the
 * number of these; or all. */
enum tell_names { TELL_NAMES_MISSING, TELL_NAMES_ALL };

struct output_settings {
	const char *data;	/* never NULL */
	const char *report;
	FILE *report_to;	/* used if @report is NULL */
	bool sections;		/* several reports begin with a list, and each names its process */
	bool effort;		/* report the work that was done */
	bool quiet;		/* say only what is missing, and show no progress */
	enum tell_names names;	/* for which files the source of their names is told */
	struct symbols_search search;
	unsigned timeline_points;	/* at most so many in the data file */
	struct massif_files massif;
	struct heapprofile_options heap;
	struct mma_files mma;
	const char *html;
};

#endif
