/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_PAGES_H
#define MPROF_OUTPUTS_PAGES_H

#include "outputs/outputs.h"

/**
 * Write the pages of a session, one for each image, when its data files have been written. What
 * cannot be written is not kept for another try: a page can be made of the data file at any time.
 * Returns 0, or -errno after saying what could not be written and why.
 */
int pages_of_session(struct outputs *o);

#endif
