/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_TABLES_H
#define MPROF_REPORT_TABLES_H

#include "profile/profile_data.h"
#include "report/leaks.h"
#include "report/report.h"
#include "report/row.h"

/*
 * The pieces of the text report, one file each: collect, print, release.
 * @rank  from names_ranks()
 * They return 0 or -ENOMEM; errors of writing are returned by row_release().
 */
int tables_prolog(struct row *r, const struct profile_data *d);
int tables_bins(struct row *r, const struct profile_data *d, const struct report_options *o);
int tables_leaks(struct row *r, const struct profile_data *d, const uint32_t *rank,
		 const struct report_options *o);
int tables_direct(struct row *r, const struct profile_data *d, const uint32_t *rank,
		  const struct report_options *o);
int tables_graph(struct row *r, const struct profile_data *d, const uint32_t *rank,
		 const struct report_options *o);
int tables_lifetimes(struct row *r, const struct profile_data *d, const uint32_t *rank,
		     enum report_level level);

/* Prints nothing if the blocks from before are not known. */
void tables_before(struct row *r, const struct profile_data *d, enum report_level level);

/* "|| > main > f": the path of a row of table 2. */
void tables_append_path(struct row *r, const struct profile_data *d, const struct leaks *l,
			const struct leak *p, const struct report_options *o);

/* A function's name. If it is too wide for the terminal, it is printed without template arguments
 * and parameters, and if that is too wide, cut in its middle. */
void tables_append_function(struct row *r, const struct profile_data *d, uint32_t function);

/* Limits the width of names so that the functions of these call sites fit on one line, with
 * @between columns besides. */
void tables_share_line(struct row *r, const struct profile_data *d, const uint32_t *sites,
		       size_t n, size_t between);

/* " (file.c:12)" of a call site, if it has a line. Without directories, which would make the lines
 * of a table too long for any window. */
void tables_append_line(struct row *r, const struct profile_data *d, uint32_t site);

/* Both at the end of a row: the name is cut so that the line fits. */
void tables_append_requester(struct row *r, const struct profile_data *d, uint32_t function,
			     uint32_t site);

/* About how many columns tables_append_line() takes. */
size_t tables_line_columns(const struct profile_data *d, uint32_t site);

#endif
