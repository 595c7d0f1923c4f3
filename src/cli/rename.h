/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RENAME_H
#define MPROF_CLI_RENAME_H

#include "cli/cli.h"

/**
 * Look up the names of a profile again in the files of --symbols-from and --debug-dir, which are
 * matched by build ID; without these options do nothing.
 * @d  replaced by the renamed profile
 * A sentence has been printed for every file of another build. Returns 0, or -errno after printing
 * why nothing could be renamed.
 */
int rename_profile(struct profile_data **d, const struct options *o);

#endif
