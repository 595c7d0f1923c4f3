/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PAGES_H
#define MPROF_CLI_PAGES_H

#include "cli/cli.h"
#include "base/error.h"
#include "report/report.h"

/* Pages: one file of HTML for a browser. */

/* True if a page can be written. False: mprof has no template, which has been said. */
bool pages_possible(void);

/* Check that a page can be written there. 0, or -errno after saying why not. */
int pages_check_path(const char *path);

/* Remove from a profile what the options leave out. 0 or -ENOMEM. */
int pages_view(const struct options *o, struct profile_data *d);

/* The same for a command: returns @d, or NULL: it has been freed, and a sentence has been printed.
 * @d may be NULL. */
struct profile_data *pages_viewed(const struct options *o, struct profile_data *d);

struct page_parts;

/**
 * Add a profile, after pages_view(), to a page of several; @d is not needed afterwards.
 * @p  NULL for the first. If it is not NULL afterwards, pass it to pages_write()
 * @o  as for page_write(); must outlive the page
 * Returns 0, or -errno with a sentence in @e: it was not added.
 */
int pages_add(struct page_parts **p, struct profile_data *d, const struct report_options *o,
	      struct error *e);

/**
 * Write that page, and say how many profiles are missing because it would be too large.
 * @path  replaced as a whole if it is a regular file or new; NULL: standard output
 * @p     not NULL; freed and set to NULL
 * @n     number of profiles that it should have; set to the number that it has
 * Returns 0, or -errno with a sentence in @e: an old page is unchanged.
 */
int pages_write(const char *path, struct page_parts **p, size_t *n, struct error *e);

/* The same for a command: shows progress, and says errors. Returns an exit status. */
int pages_print_parts(const char *path, struct page_parts **p, size_t n);

/* Write a page of profiles that are all in memory. @o: as for page_write(). */
int pages_print(const char *path, struct profile_data *const *d, size_t n,
		const struct report_options *o);

/* Write a page of the changes from @base to @now. */
int pages_print_growth(const char *path, struct profile_data *now, struct profile_data *base,
		       const struct report_options *o);

/* At the start of a report: if it is a page, check that it can be written, and choose a place if it
 * has no name.
 * @place  for pages_end()
 * False: a sentence has been printed. */
bool pages_begin(struct options *o, char **place);

/* The report ended with @status: show the page, if that is wanted. Returns an exit status. */
int pages_end(const struct options *o, char *place, int status);

/* Check the options about pages of a command. False: a sentence has been printed. */
bool pages_check_options(const struct options *o);

#endif
