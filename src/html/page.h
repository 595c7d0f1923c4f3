/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_PAGE_H
#define MPROF_HTML_PAGE_H

#include "html/template.h"
#include "profile/profile_data.h"
#include "report/report.h"

#include <stdio.h>

/**
 * Write a page of profiles: the template, with a title and what is known of each profile in its
 * marks. Needs the memory for one call tree at a time, besides @d.
 * @d, @n  at least one
 * @o  of it only depth and own_code matter
 * Returns 0, -ENOMEM, -EINVAL (the template has no such marks; nothing has been written), or -errno
 * when @out could not be written.
 */
int page_write(const struct page_template *t, struct profile_data *const *d, size_t n,
	       const struct report_options *o, FILE *out);

/**
 * The same of what has changed from one profile to another, both of which are in the page, too.
 * @o  what tells the paths of its table apart, too
 * Returns also -EOVERFLOW: a sum is too large; nothing has been written.
 */
int page_write_growth(const struct page_template *t, struct profile_data *now,
		      struct profile_data *base, const struct report_options *o, FILE *out);

/* What a profile is called in a page, "widgets (pid 12)", in valid UTF-8 without control
 * characters; for free(), or NULL: out of memory. */
char *page_title(const struct profile_data *d);

#endif
