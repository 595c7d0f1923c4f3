/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_GATING_H
#define MPROF_CLI_GATING_H

#include "cli/cli.h"
#include "gate/gate.h"
#include "session/supervise.h"

/* --fail-if and what belongs to it, for commands that have profiles. */

void gate_defaults(struct options *o);

/* Options that mean nothing without another one. False: a sentence has been printed. */
bool gating_check_options(const struct options *o);

/**
 * What is known before anything is run: conditions, suppressions, the base; and can the files be
 * written that are asked for? Without a condition there is nothing to do.
 * Returns 0, or a status: a sentence has been printed. gating_release() either way.
 */
int gating_begin(struct gate *g, const struct options *o);
void gating_release(struct gate *g);

/* Hold a profile against the conditions, if there are any, before anything is left out of it. 0, or
 * a status: a sentence has been printed. */
int gating_judge(struct gate *g, const struct profile_data *d);

/* The same of data files. */
int gating_judge_file(struct gate *g, const char *path, const struct options *o);
int gating_judge_files(struct gate *g, char *const files[], size_t n, const struct options *o);

/**
 * All processes have been judged: tell what came of it, and write what is to be written.
 * @end  how it would end otherwise
 * Returns how it ends: a condition that holds wins; what could not be told is a failure where there
 * was none, and one about a function that is nowhere is wrong usage.
 */
struct ending gating_end(struct gate *g, const struct options *o, struct ending end);

/* The same of a command that runs nothing: its status. */
int gating_status(struct gate *g, const struct options *o, int status);

#endif
