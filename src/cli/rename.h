/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RENAME_H
#define MPROF_CLI_RENAME_H

#include "cli/cli.h"

/**
 * Name a profile again from the files that --symbols-from and --debug-dir tell, told by their build
 * IDs; without these options nothing happens.
 * @d  replaced by the renamed profile
 * A sentence has been printed for every file that is of another build. Returns 0, or -errno after
 * printing why there is nothing to be had.
 */
int rename_profile(struct profile_data **d, const struct options *o);

#endif
