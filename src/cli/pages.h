/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_PAGES_H
#define MPROF_CLI_PAGES_H

#include "cli/cli.h"
#include "base/error.h"
#include "report/report.h"

/* Pages: one file of HTML for a browser. */

/* Can a page be written at all? False: mprof has no template, which has been said. */
bool pages_possible(void);

/* Can one be written there? 0, or -errno after saying why not. */
int pages_check_path(const char *path);

/* What the options leave out is taken out of a profile. 0 or -ENOMEM. */
int pages_view(const struct options *o, struct profile_data *d);

/* The same for a command: @d, or NULL: it has been freed, and a sentence has been printed. NULL
 * stays so. */
struct profile_data *pages_viewed(const struct options *o, struct profile_data *d);

struct page_parts;

/**
 * One more profile, that has been through pages_view(), for a page of several; @d is not needed
 * afterwards.
 * @p  NULL: it is the first. If it is not NULL afterwards, to be given to pages_write()
 * @o  as for page_write(); outlives the page
 * Returns 0, or -errno with a sentence in @e: it is not in the page.
 */
int pages_add(struct page_parts **p, struct profile_data *d, const struct report_options *o,
	      struct error *e);

/**
 * Write that page, and say how many profiles are not in it because it would be too large.
 * @path  replaced as a whole if it is an ordinary file or none; NULL: standard output
 * @p     not NULL; freed, and NULL afterwards
 * @n     so many profiles it should have; set to those that it has
 * Returns 0, or -errno with a sentence in @e: an old page is as it was.
 */
int pages_write(const char *path, struct page_parts **p, size_t *n, struct error *e);

/* The same as a command does it: with progress, and what fails is said. An exit status. */
int pages_print_parts(const char *path, struct page_parts **p, size_t n);

/* Of profiles that are all there. @o: as for page_write(). */
int pages_print(const char *path, struct profile_data *const *d, size_t n,
		const struct report_options *o);

/* Of what has changed from one to the other. */
int pages_print_growth(const char *path, struct profile_data *now, struct profile_data *base,
		       const struct report_options *o);

/* A report begins: if it is a page, can it be written, and where does it go that nobody has named?
 * @place  for pages_end(). False: a sentence has been printed. */
bool pages_begin(struct options *o, char **place);

/* It ends with @status: show the page, if that is wanted. An exit status. */
int pages_end(const struct options *o, char *place, int status);

/* Do the options of a command that has been parsed make sense together, as far as they are about
 * pages? False: a sentence has been printed. */
bool pages_check_options(const struct options *o);

#endif
