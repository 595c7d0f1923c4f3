/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RECORD_H
#define MPROF_CLI_RECORD_H

#include "cli/serve.h"

/**
 * A session with its observer, and what is recorded besides the profile, as the options say.
 * @v  all of it is set but what stands behind the options
 * @rules  outlive it   @journal  may be NULL
 * Returns 0 or -ENOMEM; to be closed in any case.
 */
int record_open(struct serve *v, struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o);
void record_close(struct serve *v);

#endif
