/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_KEEP_H
#define MPROF_CLI_KEEP_H

#include "cli/serve.h"

/**
 * The programs are free, but a profile could not be written. A session in the background has told
 * nobody: it stays with what is in its memory, and answers, until that is saved or given up. To be
 * called after output_session(); answers those who have asked for the end.
 * Returns 0 if all is saved.
 */
int keep_until_saved(struct serve *v);

/* Once more to where the options say. 0 or -errno, as output_session(). */
int keep_try_again(struct serve *v);

#endif
