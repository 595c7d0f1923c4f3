/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_WRITE_H
#define MPROF_OUTPUTS_WRITE_H

#include "outputs/outputs.h"
#include "outputs/sections.h"

/* After detaching: leave out the images that are not wanted, and say which. */
void output_leave_out(struct outputs *o);

/**
 * Name the profiles of the session, write the data files and print the report, as far as an earlier
 * try has not done so.
 * Returns 0, or -errno after saying what could not be written and why.
 */
int output_session(struct outputs *o);

/* True if a profile, or a file of another output, is in memory only. Call it after
 * output_session(). */
bool output_unsaved(const struct session *s);

/* The section of an image's report. */
struct section output_section(const struct image *i);

#endif
