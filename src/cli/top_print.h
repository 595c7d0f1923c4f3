/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_PRINT_H
#define MPROF_CLI_TOP_PRINT_H

#include "cli/top_session.h"

/* Print looks, one (--once) or one each interval until the session is over, a signal asks for the
 * end, or nobody reads the output. Returns a status. */
int top_print(struct top_session *s);

#endif
