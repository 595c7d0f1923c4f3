/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SAVING_H
#define MPROF_SESSION_SAVING_H

#include "session/session.h"

/*
 * What is written when: profiles and the files of outputs, beside the tracing as long as something
 * is traced.
 */

/* The profile of an image, as it is now, when those before it are written: the last to finish must
 * be the last to have begun. */
void session_save(struct session *s, struct image *i);

/* @write writes @what ("the profile") of an image, as it is now, in a copy of ourselves; somebody
 * will write it again. False: there is no copy, which has been said. */
bool session_write_beside(struct session *s, const struct image *i, const char *what,
			  int (*write)(void *ctx), void *ctx);

/* The same of what nobody waits for, and what is given up when the session is over. */
void session_read_ahead(struct session *s, int (*read)(void *ctx), void *ctx);

/* An image is over: its process has ended or has exec'ed. What is due of it is written. */
void session_write_over(struct session *s, struct image *i);

/* What was recorded of an image is about to be begun anew. */
void session_write_restarting(struct session *s, struct image *i);

/* The programs have been let go. Wait for whoever writes still, and end who reads ahead. */
void session_await_writers(struct session *s);

/* The files that outputs have of an image and nobody has written, now, by ourselves. 0, or the
 * first -errno. */
int session_write_files(struct session *s, struct image *i);

/* What outputs write of all images together. 0, or the first -errno. */
int session_finish_outputs(struct session *s);

/* Has an output a file of an image that is still to be written? */
bool session_has_unwritten(const struct session *s, const struct image *i);

#endif
