/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_PAGES_H
#define MPROF_OUTPUTS_PAGES_H

#include "outputs/outputs.h"
#include "session/filename.h"

/*
 * A session has one page of all its profiles, or, if the name has a %p, one of each.
 */

/* PID.html; of a process that has exec'ed, what was before it PID.N.html: a browser knows a page by
 * how its name ends. As filename_of(). */
char *page_file_name(const char *html, const struct filename_whose *whose, struct error *e);

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
