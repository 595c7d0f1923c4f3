/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_H
#define MPROF_REPORT_H

#include "base/error.h"
#include "naming/view.h"
#include "profile/profile_data.h"

#include <stdbool.h>
#include <stdio.h>

enum report_level { REPORT_TERSE, REPORT_NORMAL, REPORT_VERBOSE };
enum report_leaks { REPORT_LEAKS, REPORT_LEAKS_OFFSETS, REPORT_NO_LEAKS };

struct report_options {
	enum report_level level;
	enum report_leaks leaks;
	bool lines;	/* the table of leaks tells apart lines and shows them */
	bool lifetimes;	/* a fifth table */
	uint32_t depth;	/* functions of a path of the table of leaks; 0: five, and as many more as
			   are needed to reach own code */
	const char *const *own_code;	/* files of own code, see own_code.h */
	bool verdicts;	/* a column of the table of leaks */
	bool site_types; /* another one */
	bool summary;	/* instead of the tables what matters first */
	size_t columns;	/* of the terminal, by which names are cut; 0: they are whole */
	bool colour;	/* that it shows */
	bool at_peak;	/* the profile is of what was live at the peak (view.h), and the headings
			   say so */
	bool names_full; /* that names are whole was asked for */
	const struct view *view; /* what the profile has been through; NULL: that is not told */
};

/**
 * The four tables of the 1990 manual page, with the prolog line before them; and one of lifetimes.
 * Control characters in names are shown as \ooo (octal), valid UTF-8 is left as it is.
 * Returns 0, -ENOMEM, or -errno when @out could not be written.
 */
int report_tables(const struct profile_data *d, const struct report_options *o, FILE *out);

/* All of it as one JSON object, schema mprof.report.v1 (described in mprof-report(1)); of @o only
 * depth, own_code, view and names_full matter. Returns as above. */
int report_json(const struct profile_data *d, const struct report_options *o, FILE *out);

/* The same without the members that repeat the call tree: leaks, callgraph and lifetimes. */
int report_json_short(const struct profile_data *d, const struct report_options *o, FILE *out);

/* What is left of the blocks from before, which have been walked, for people or as JSON: the object
 * "before" of the above. */
int report_before(const struct profile_data *d, enum report_level level, FILE *out);
int report_before_json(const struct profile_data *d, FILE *out);

#endif
