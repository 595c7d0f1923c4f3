/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_RECORD_H
#define MPROF_CLI_RECORD_H

#include "cli/cli.h"
#include "session/session.h"

/* What is recorded besides the profile, as the options say; before the session begins. 0 or -ENOMEM. */
int record_open(struct session *s, const struct options *o);

/* After the session's images, with their recorders, have gone. */
void record_close(struct session *s);

#endif
