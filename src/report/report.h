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
	bool lines;	/* the table of leaks tells lines apart and shows them */
	bool lifetimes;	/* a fifth table */
	uint32_t depth;	/* functions in a path of the table of leaks; 0: five, and as many more as
			   are needed to reach own code */
	const char *const *own_code;	/* files of own code, see own_code.h */
	bool verdicts;	/* a column of the table of leaks */
	bool site_types; /* another one */
	bool summary;	/* what matters most, instead of the tables */
	size_t columns;	/* of the terminal: longer names are cut; 0: names are not cut */
	bool colour;	/* the terminal shows colours */
	bool at_peak;	/* the profile is of what was live at the peak (view.h), and the headings
			   say so */
	bool names_full; /* uncut names were asked for */
	const struct view *view; /* what was left out of the profile; NULL: not reported */
};

/**
 * The four tables of the 1990 manual page, with the prolog line before them; and one of lifetimes.
 * Control characters in names are shown as \ooo (octal), valid UTF-8 is left as it is.
 * Returns 0, -ENOMEM, or -errno when @out could not be written.
 */
int report_tables(const struct profile_data *d, const struct report_options *o, FILE *out);

/* All of it as one JSON object, schema mprof.report.v1 (described in mprof-report(1)); of @o only
 * depth, own_code, view and names_full are used. Returns as above. */
int report_json(const struct profile_data *d, const struct report_options *o, FILE *out);

/* The same without the members that repeat the call tree: leaks, callgraph and lifetimes. */
int report_json_short(const struct profile_data *d, const struct report_options *o, FILE *out);

/* The blocks from before, if they were walked, and what is left of them: as text, or as JSON, the
 * object "before" of the above. Returns as above. */
int report_before(const struct profile_data *d, enum report_level level, FILE *out);
int report_before_json(const struct profile_data *d, FILE *out);

#endif
