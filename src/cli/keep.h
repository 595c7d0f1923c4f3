/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_KEEP_H
#define MPROF_CLI_KEEP_H

#include "cli/serve.h"

/**
 * After detaching, if a profile could not be written: a session in the background has told nobody,
 * so it stays with what is in memory, and answers clients, until that is saved or given up. Call it
 * after output_session(); it answers clients that have asked for the end.
 * Returns 0 if all is saved, otherwise -EIO.
 */
int keep_until_saved(struct serve *v);

/* Try to write everything again, to the names from the options. 0 or -errno, as
 * output_session(). */
int keep_try_again(struct serve *v);

#endif
