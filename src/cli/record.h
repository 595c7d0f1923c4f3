/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RECORD_H
#define MPROF_CLI_RECORD_H

#include "cli/serve.h"

/**
 * Before the program is started: choose the unit of time of a massif file, and check that all files
 * that the options ask for can be written. Says what was chosen. Returns 0 or an exit status; a
 * sentence has been printed.
 */
int record_prepare(struct options *o);

/**
 * Set up a session with its observer and outputs, as the options say.
 * @v  set to all of these
 * @rules  must outlive it   @journal  may be NULL
 * Returns 0 or -ENOMEM; must be closed in any case.
 */
int record_open(struct serve *v, struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o);
void record_close(struct serve *v);

#endif
