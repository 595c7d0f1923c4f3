/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_RUNTIME_H
#define MPROF_PROFILE_RUNTIME_H

#include "profile/profile_data.h"

/* What the runtime libraries of a program request once, and keep on purpose until it ends. */
enum runtime_kind {
	RUNTIME_NONE,	   /* the program's own */
	RUNTIME_EMERGENCY, /* libstdc++'s memory for exceptions when there is no other */
	RUNTIME_STDIO,
	RUNTIME_LOADER,
	RUNTIME_LOCALE,
	RUNTIME_TIME_ZONE,
	RUNTIME_EXIT,
	RUNTIME_NAMES,	   /* users, groups, hosts: nsswitch.conf, and static results */
	RUNTIME_KINDS,
};

/* The kind of the requests of this leaf. */
enum runtime_kind runtime_kind_of(const struct profile_data *d, const struct pd_leaf *l);

/* Adds the blocks that a leaf still has to those of its kind in @sums. Returns the kind. */
enum runtime_kind runtime_add(const struct profile_data *d, const struct pd_leaf *l,
			      struct pd_sum sums[RUNTIME_KINDS]);

/* The sum of all kinds but RUNTIME_NONE. @kinds, of @size bytes, is set to their names with the
 * bytes of each: "stdio buffers 4096, loader 128". */
struct pd_sum runtime_sum(const struct pd_sum sums[RUNTIME_KINDS], char *kinds, size_t size);

/* "stdio buffers" and so on. */
const char *runtime_word(enum runtime_kind kind);

#endif
