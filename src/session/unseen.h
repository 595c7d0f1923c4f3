/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_UNSEEN_H
#define MPROF_SESSION_UNSEEN_H

#include "session/session.h"

/* What was not observed of an image so far. */
struct pd_unseen unseen_so_far(const struct image *i);

/* The same since its profile last began anew. */
struct pd_unseen unseen_now(const struct image *i);

/* Which engines have seen its calls: PD_ENGINE_... bits; 0: none. */
uint32_t unseen_engines(const struct image *i);

#endif
