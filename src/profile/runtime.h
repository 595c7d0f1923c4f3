/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_RUNTIME_H
#define MPROF_PROFILE_RUNTIME_H

#include "profile/profile_data.h"

/* What the libraries that a program runs on request once and keep on purpose until it ends. */
enum runtime_kind {
	RUNTIME_NONE,	   /* it is not that */
	RUNTIME_EMERGENCY, /* libstdc++'s room for exceptions when there is no memory */
	RUNTIME_STDIO,
	RUNTIME_LOADER,
	RUNTIME_LOCALE,
	RUNTIME_TIME_ZONE,
	RUNTIME_EXIT,
	RUNTIME_NAMES,	   /* users, groups, hosts: nsswitch.conf, and results that are static */
	RUNTIME_KINDS,
};

/* Which of them requests of this leaf are. */
enum runtime_kind runtime_kind_of(const struct profile_data *d, const struct pd_leaf *l);

/* Adds what is kept of a leaf to what of that kind is; of RUNTIME_NONE, what is kept of the
 * program's own. Returns the kind. */
enum runtime_kind runtime_add(const struct profile_data *d, const struct pd_leaf *l,
			      struct pd_sum sums[RUNTIME_KINDS]);

/* What they come to; and their kinds, "stdio buffers 4096, loader 128", with the bytes of each. */
struct pd_sum runtime_sum(const struct pd_sum sums[RUNTIME_KINDS], char *kinds, size_t size);

/* "stdio buffers" ... */
const char *runtime_word(enum runtime_kind kind);

#endif
