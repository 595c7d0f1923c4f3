/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_PAGE_INTERNAL_H
#define MPROF_HTML_PAGE_INTERNAL_H

#include "html/page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Pieces of a page, for who puts one together. */

/* What a page has of one profile in its list, if its blocks have @number; NULL: out of memory. */
json_t *page_entry(const struct profile_data *d, size_t number);

/**
 * The blocks of a profile.
 * @same  of a difference, what each of its functions is in both; else NULL
 * Returns 0 or -errno.
 */
int page_put_profile(struct profile_data *d, size_t number, const struct report_options *o,
		     const uint64_t *same, FILE *out);

/* What stands in the template. */
struct page_body {
	json_t *profiles;	/* an array of entries, at least one */
	size_t missing;		/* so many more there were, and are not in the page */
	bool growth;		/* of the first since the second */
	const struct report_options *o;
	/* Writes all blocks but that of the list. 0 or -errno. */
	int (*put)(void *ctx, FILE *out);
	void *ctx;
};

/* Returns as page_write(). */
int page_write_body(const struct page_template *t, const struct page_body *b, FILE *out);

#endif
