/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LACKING_H
#define MPROF_CLI_LACKING_H

#include "cli/cli.h"
#include "profile/profile_data.h"

#include <stddef.h>

/* The files of profiles that lack names, lines or types, and what would bring these: asking for
 * that takes a while, so it is done once for all, when nobody waits for anything else. */
struct lacking {
	struct lacking_file {
		char *path, *build_id;
	} *v;
	size_t n, cap;
};

/* Once, however often it is added. @ctx: a struct lacking; for want of memory it is left out. */
void lacking_add(void *ctx, const struct pd_module *m);

/**
 * Say what package brings what is lacking, if one does, to a person at a terminal, or who wants to
 * know all; to others that something is lacking, for asking takes longer than many a program runs.
 * A profile may be of another machine: only files that are here by the same path with the same
 * build ID are spoken of.
 */
void lacking_say(const struct lacking *l, const struct options *o);

void lacking_release(struct lacking *l);

#endif
