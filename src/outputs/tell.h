/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_TELL_H
#define MPROF_OUTPUTS_TELL_H

#include "base/say.h"
#include "outputs/settings.h"
#include "profile/profile_data.h"
#include "session/session.h"

/* Sentences about a profile, for what the tables have no column for. */

/* Called for each module that lacks names, lines or types. */
typedef void lacking_fn(void *ctx, const struct pd_module *m);

/* Tell where the names came from. */
void tell_names(say_fn *say, const struct profile_data *d, enum tell_names which,
		lacking_fn *lacking, void *ctx);

/* Tell which files have no names because the process that read them was ended; nothing if none. */
void tell_unread(say_fn *say, const struct profile_data *d);

/* Tell when the peak was and how high; nothing if not known. */
void tell_peak(say_fn *say, const struct profile_data *d);

/* Tell why chains are truncated, and how many were followed by guessing; nothing if none. */
void tell_chains(say_fn *say, const struct profile_data *d);

/* Tell which engine observed the calls, or that this is not recorded. */
void tell_engines(say_fn *say, const struct profile_data *d);

/* Tell if only requests of some sizes were recorded. */
void tell_sizes(say_fn *say, const struct profile_data *d);

/* Tell how much slower the program was; nothing if not known (0). @before: how the sentence
 * begins. */
void tell_slowdown(say_fn *say, double slowdown, const char *before);

/* Name the process and tell what was counted of it. */
void tell_counts(say_fn *say, const struct image *i, const struct profile_data *d);

/* A sentence on the programs that are left out because they have executed another one; for free(),
 * or NULL: there are none, or out of memory. */
char *tell_left_out(const struct image *list);

/* A sentence on how many child processes are not profiled, and how they would be. False: there are
 * none. */
bool tell_unfollowed(const struct session *s, struct error *e);

/* Tell how much work that was: for an image, and once for the whole session. */
void tell_effort(say_fn *say, const struct image *i, const struct profile_data *d);
void tell_session_effort(say_fn *say, const struct session *s, const struct session_cost *cost);

#endif
