/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_PAGES_H
#define MPROF_OUTPUTS_PAGES_H

#include "outputs/outputs.h"

/*
 * A session has one page of all its profiles, or, if the name has a %p, one of each.
 */

/* An image's profile goes into its page, if one is wanted and there was no try yet. @printed: the
 * profile, whose report has been printed; NULL: it is named for the page alone. */
void page_of_image(struct outputs *o, struct image *i, struct profile_data *printed);

/**
 * When the data files of a session have been written: what is missing of its pages is made, and the
 * page of all is written. What cannot be is not kept for another try: a page can be made of the
 * data files at any time.
 * Returns 0, or -errno of the first that failed, after saying what could not be written and why.
 */
int pages_of_session(struct outputs *o);

#endif
