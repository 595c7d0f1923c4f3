/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNSEEN_H
#define MPROF_OUTPUTS_UNSEEN_H

#include "base/say.h"
#include "profile/profile_data.h"

/* Say what was not observed, sentence by sentence; nothing, if there is nothing to say. @path: of
 * which of several files; NULL: there is but one. */
void unseen_say(say_fn *say, const struct profile_data *d, const char *path);

/* How many chains, frees, requests and events something is wrong with, zeros included. */
void unseen_say_totals(say_fn *say, const struct profile_data *d);

/* Say all that the tables have no column for. @quiet: what is missing alone; a free of what was
 * there before is not. */
void unseen_say_notes(say_fn *say, const struct profile_data *d, bool quiet);

#endif
