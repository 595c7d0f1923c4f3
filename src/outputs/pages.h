/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_PAGES_H
#define MPROF_OUTPUTS_PAGES_H

#include "outputs/outputs.h"
#include "session/filename.h"

/*
 * A session has one page for all its profiles or, if the name has a %p, one for each.
 */

/* PID.html; of the images before an exec PID.N.html: browsers know a page by the ending. Returns as
 * filename_of(). */
char *page_file_name(const char *html, const struct filename_whose *whose, struct error *e);

/* Add an image's profile to its page, if one is wanted and this was not tried yet. @printed: the
 * profile, whose report has been printed; NULL: it is named for the page alone. */
void page_of_image(struct outputs *o, struct image *i, struct profile_data *printed);

/**
 * When the data files of a session have been written: add what is missing to its pages, and write
 * the joint page. A page that cannot be written is not kept for another try, since it can be made
 * from the data files at any time.
 * Returns 0, or -errno of the first that failed, after saying what could not be written and why.
 */
int pages_of_session(struct outputs *o);

#endif
