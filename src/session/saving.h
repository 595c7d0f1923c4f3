/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SAVING_H
#define MPROF_SESSION_SAVING_H

#include "session/session.h"

/*
 * When profiles and the files of outputs are written: by save children as long as anything is
 * traced.
 */

/* Save the profile of an image, as it is now. Waits for earlier saves first: an older state must
 * not replace a newer one. */
void session_save(struct session *s, struct image *i);

/* Call @write in a save child to write @what ("the profile") of an image, as it is now; it will be
 * written again later. False: there is no child, which has been said. */
bool session_write_beside(struct session *s, const struct image *i, const char *what,
			  int (*write)(void *ctx), void *ctx);

/* Call @read in a forked child that nothing waits for; it is ended when the session is over. */
void session_read_ahead(struct session *s, int (*read)(void *ctx), void *ctx);

/* The tracer waits for a process that is none of these: the keeper must not take that for a hang.
 * Called several times a second. */
void session_waits(struct session *s);

/* An image is over: its process has ended or has exec'ed. Write the files that are due. */
void session_write_over(struct session *s, struct image *i);

/* The profile of an image is about to begin anew (mprof_restart()): write what was recorded. */
void session_write_restarting(struct session *s, struct image *i);

/* After detaching: wait for the save children, and end the process that reads ahead. */
void session_await_writers(struct session *s);

/* Write the files of an image that outputs have not written yet, in this process. 0, or the first
 * -errno. */
int session_write_files(struct session *s, struct image *i);

/* Write what outputs have on all images together. 0, or the first -errno. */
int session_finish_outputs(struct session *s);

/* True if an output has a file of the image that is not written yet. */
bool session_has_unwritten(const struct session *s, const struct image *i);

#endif
