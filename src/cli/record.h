/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RECORD_H
#define MPROF_CLI_RECORD_H

#include "cli/cli.h"
#include "session/session.h"

/**
 * A session with its observer, and what is recorded besides the profile, as the options say.
 * @rules  outlive it   @journal  may be NULL
 * Returns 0 or -ENOMEM; to be closed in any case.
 */
int record_open(struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o);
void record_close(struct session *s);

#endif
