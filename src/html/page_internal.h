/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_PAGE_INTERNAL_H
#define MPROF_HTML_PAGE_INTERNAL_H

#include "html/page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The pieces of a page, for page.c and parts.c. */

/* The entry of a profile in the page's list, if its blocks have @number; NULL: out of memory. */
json_t *page_entry(const struct profile_data *d, size_t number);

/**
 * Write the blocks of a profile.
 * @same  for a difference: by function, its number in both profiles; otherwise NULL
 * Returns 0 or -errno.
 */
int page_put_profile(struct profile_data *d, size_t number, const struct report_options *o,
		     const uint64_t *same, FILE *out);

/* What is written at the template's marks. */
struct page_body {
	json_t *profiles;	/* an array of entries, at least one */
	size_t missing;		/* number of profiles that are missing in the page */
	bool growth;		/* a difference: changes of the first since the second */
	const struct report_options *o;
	/* Write all blocks except the list. 0 or -errno. */
	int (*put)(void *ctx, FILE *out);
	void *ctx;
};

/* Returns as page_write(). */
int page_write_body(const struct page_template *t, const struct page_body *b, FILE *out);

#endif
