/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_GATING_H
#define MPROF_CLI_GATING_H

#include "cli/cli.h"
#include "gate/gate.h"
#include "session/supervise.h"

/* --fail-if and related options, for commands that have profiles. */

void gate_defaults(struct options *o);

/* Reject options that need another one. False: a sentence has been printed. */
bool gating_check_options(const struct options *o);

/**
 * Before anything is run: parse conditions, read suppressions and the base, and check that the
 * result files can be written. Does nothing without a condition.
 * Returns 0, or a status: a sentence has been printed. Call gating_release() in any case.
 */
int gating_begin(struct gate *g, const struct options *o);
void gating_release(struct gate *g);

/* Check a profile against the conditions, if there are any; nothing may have been removed from it.
 * 0, or a status: a sentence has been printed. */
int gating_judge(struct gate *g, const struct profile_data *d);

/* The same for data files. */
int gating_judge_file(struct gate *g, const char *path, const struct options *o);
int gating_judge_files(struct gate *g, char *const files[], size_t n, const struct options *o);

/**
 * After all processes: report the results, and write the result files.
 * @end  how the command would end otherwise
 * Returns how it ends: if a condition holds, with its status; if one cannot be judged, with a
 * failure unless there was one; if its function exists nowhere, with wrong usage.
 */
struct ending gating_end(struct gate *g, const struct options *o, struct ending end);

/* The same for a command that runs nothing: returns its status. */
int gating_status(struct gate *g, const struct options *o, int status);

#endif
