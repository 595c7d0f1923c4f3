/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RECORD_H
#define MPROF_CLI_RECORD_H

#include "cli/serve.h"

/**
 * Before the program is started: which unit of time has a massif file, and can what the options ask
 * for be written? Says what was chosen. Returns 0 or an exit status; a sentence has been printed.
 */
int record_prepare(struct options *o);

/**
 * A session with its observer, and what it is to write, as the options say.
 * @v  gets all of these
 * @rules  outlive it   @journal  may be NULL
 * Returns 0 or -ENOMEM; to be closed in any case.
 */
int record_open(struct serve *v, struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o);
void record_close(struct serve *v);

#endif
