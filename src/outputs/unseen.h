/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_UNSEEN_H
#define MPROF_OUTPUTS_UNSEEN_H

#include "base/say.h"
#include "profile/profile_data.h"

/* Say what was not observed, sentence by sentence; nothing if all was. @path: the data file, if
 * there are several; or NULL. */
void unseen_say(say_fn *say, const struct profile_data *d, const char *path);

/* Say for how many chains, frees, requests and events something is wrong, zeros included. */
void unseen_say_totals(say_fn *say, const struct profile_data *d);

/* Say all that the tables have no column for. @quiet: only what is missing, which does not include
 * frees of blocks from before. */
void unseen_say_notes(say_fn *say, const struct profile_data *d, bool quiet);

#endif
