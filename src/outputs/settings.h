/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_SETTINGS_H
#define MPROF_OUTPUTS_SETTINGS_H

#include "heapprofile/heapprofile.h"
#include "massif/settings.h"
#include "symbols/symbols.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * What a session is to write, and where. Names of files are patterns with their % sequences; NULL:
 * that file is not wanted. All of it outlives the session.
 */

struct massif_files {
	const char *file;
	struct massif_settings settings; /* also of the timeline that every profile has */
	const char *desc;	/* how it was asked for: the desc: line of a file; NULL: that is not
				   known */
};

/* How the name of a page ends, for browsers. */
#define PAGE_ENDING ".html"

struct mma_files {
	const char *log_file, *stats_file;
	bool plain;	/* not humanized: for programs to read, and no progress messages */
};

/* Of which files it is said where their names came from: those that want lines or types, and how
 * many do not; or all. */
enum tell_names { TELL_NAMES_MISSING, TELL_NAMES_ALL };

struct output_settings {
	const char *data;	/* never NULL */
	const char *report;
	FILE *report_to;	/* if that has no file */
	bool sections;		/* several reports begin with a list, and each with whose it is */
	bool effort;		/* tell how much work it was */
	bool quiet;		/* nothing but what is missing is said, and no progress */
	enum tell_names names;	/* of which files it is said where their names came from */
	struct symbols_search search;
	unsigned timeline_points;	/* in the data file, at most */
	struct massif_files massif;
	struct heapprofile_options heap;
	struct mma_files mma;
	const char *html;
};

#endif
