/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_UNSEEN_H
#define MPROF_SESSION_UNSEEN_H

#include "session/session.h"

/* What of an image was not observed, so far. */
struct pd_unseen unseen_so_far(const struct image *i);

/* The same since its profile was begun anew for the last time. */
struct pd_unseen unseen_now(const struct image *i);

/* Who has seen its calls: PD_ENGINE_...; 0: nobody has. */
uint32_t unseen_engines(const struct image *i);

#endif
