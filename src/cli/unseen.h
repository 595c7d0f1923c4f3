/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_UNSEEN_H
#define MPROF_CLI_UNSEEN_H

#include "profile/profile_data.h"

/* Say what was not observed, sentence by sentence; nothing, if there is nothing to say. @path: of
 * which of several files; NULL: there is but one. */
void unseen_say(const struct profile_data *d, const char *path);

/* Say all that the tables have no column for. */
void unseen_say_notes(const struct profile_data *d);

#endif
