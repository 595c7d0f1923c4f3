/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_PAGE_H
#define MPROF_HTML_PAGE_H

#include "html/template.h"
#include "profile/profile_data.h"
#include "report/report.h"

#include <stdio.h>

/**
 * Write a page of profiles: the template, with the title and the data of each profile at its marks.
 * Takes the memory for one call tree at a time, besides @d.
 * @d, @n  at least one
 * @o  only depth and own_code are used
 * Returns 0, -ENOMEM, -EINVAL (the template lacks the marks; nothing was written), or -errno of
 * writing @out.
 */
int page_write(const struct page_template *t, struct profile_data *const *d, size_t n,
	       const struct report_options *o, FILE *out);

/**
 * The same for the changes from one profile to another, both of which are in the page, too.
 * @o  also how paths in the table are told apart
 * Returns also -EOVERFLOW: a sum is too large; nothing was written.
 */
int page_write_growth(const struct page_template *t, struct profile_data *now,
		      struct profile_data *base, const struct report_options *o, FILE *out);

/* The name of a profile in a page, "widgets (pid 12)", in valid UTF-8 without control characters;
 * for free(), or NULL: out of memory. */
char *page_title(const struct profile_data *d);

#endif
