/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_LACKING_H
#define MPROF_CLI_LACKING_H

#include "cli/cli.h"
#include "profile/profile_data.h"

#include <stddef.h>

/* The files of profiles that lack names, lines or types, and the packages that have them: asking
 * takes a while, so it is done once for all, after everything else. */
struct lacking {
	struct lacking_file {
		char *path, *build_id;
	} *v;
	size_t n, cap;
};

/* Add a file, once. @ctx: a struct lacking; out of memory, it is left out. */
void lacking_add(void *ctx, const struct pd_module *m);

/**
 * Say which packages have what is lacking, to a person at a terminal or with --verbose; otherwise
 * only say that something is lacking, for asking takes longer than many programs run. A profile may
 * be of another machine: only files that exist here by the same path with the same build ID are
 * mentioned.
 */
void lacking_say(const struct lacking *l, const struct options *o);

void lacking_release(struct lacking *l);

#endif
