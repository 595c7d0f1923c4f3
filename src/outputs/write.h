/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_WRITE_H
#define MPROF_OUTPUTS_WRITE_H

#include "outputs/outputs.h"
#include "outputs/sections.h"

/* The programs have been let go: leave out the images that nobody wants, and say which. */
void output_leave_out(struct outputs *o);

/**
 * Name what the session has seen, write the data files and print the report: all that has not been
 * written by an earlier try.
 * Returns 0, or -errno after saying what could not be written and why.
 */
int output_session(struct outputs *o);

/* Is there a profile, or a file of another output, in memory only? After output_session(). */
bool output_unsaved(const struct session *s);

/* Whose the profile of an image is. */
struct section output_section(const struct image *i);

#endif
