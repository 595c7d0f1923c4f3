/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool that announces its blocks by the functions of mprof.h. */
#include "mprof/mprof.h"

#define ANNOUNCE(p, n) mprof_malloclike(p, n)
#define RESIZED(p, old, n) mprof_resize(p, n)
#define GONE(p) mprof_freelike(p)
#include "announce.h"
