/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_READING_INTERNAL_H
#define MPROF_NAMING_READING_INTERNAL_H

/* Shared by reading.c, and reading_kept.c for a process that is kept. */

#include "confine/apart.h"
#include "naming/reading.h"

/* After this many files have ended the process, no file is read any more. */
enum { READING_TRIES = 3 };

/* In the process: make the namer that it works with. 0 or -ENOMEM. */
int reading_namer(struct reading *r, struct namer *namer);

/* What a new process needs that calls @body. @work->fds is the caller's to free. 0 or -ENOMEM. */
int reading_work(struct reading *r, int (*body)(void *ctx, int out), struct apart_work *work,
		 struct apart_end *end);

/* Take the result in r->out, by way of a copy that the process cannot write to; its own file is
 * emptied. 0, or -errno: it is invalid. */
int reading_take_copy(struct reading *r);

/* If a result was invalid, that is why the process is not used: a person has no use for knowing
 * which bytes are. */
void reading_tell_spoiled(const struct reading *r, struct apart_end *end);

/* Leave out the file that the process noted last. False: it had not noted any. */
bool reading_leave_out_noted(struct reading *r, const struct apart_end *end);

/* No file is read for the remaining parts. */
void reading_leave_all_out(struct reading *r, const struct error *why);

/* End a process that is kept; @end is set if there is one. */
void reading_end_kept(struct reading *r, struct apart_end *end);

#endif
