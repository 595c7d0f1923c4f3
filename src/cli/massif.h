/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_MASSIF_H
#define MPROF_CLI_MASSIF_H

#include "cli/cli.h"
#include "cli/session.h"

/**
 * Before the program is started: which unit of time, and can the file be written? Says what was chosen.
 * Returns 0 or an exit status; a sentence has been printed.
 */
int massif_prepare(struct options *o);

/* If the options ask for massif files: what they need, in s->massif. 0 or -ENOMEM. */
int massif_session_open(struct session *s, const struct options *o);
void massif_session_close(struct session *s);

/* The recorder of an image that begins, if there is to be one. 0 or -ENOMEM. */
int massif_image_begin(struct session *s, struct image *i);

/* Write the massif file of an image as it is now. 0, or -errno after printing why not. */
int massif_image_write(const struct session *s, const struct image *i);

#endif
