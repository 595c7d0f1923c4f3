/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_PAGES_H
#define MPROF_OUTPUTS_PAGES_H

#include "outputs/outputs.h"

/* Write the page of an image, if one is wanted and there was no try yet. @printed: its profile,
 * whose report has been printed; NULL: it is named for the page alone. */
void page_of_image(struct outputs *o, struct image *i, struct profile_data *printed);

/**
 * Write the pages of a session that are missing, one for each image, when its data files have been
 * written. What cannot be written is not kept for another try: a page can be made of the data file
 * at any time.
 * Returns 0, or -errno of the first of all pages, after saying what could not be written and why.
 */
int pages_of_session(struct outputs *o);

#endif
