/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_SHOWN_H
#define MPROF_PROBES_SHOWN_H

#include "base/error.h"

#include <stddef.h>

enum { PROBE_SHOWN = 128 };

/* A function's name in what is said of it: "operator new(unsigned long)" for _Znwm. What is not
 * mangled is returned itself, else @out. */
const char *probe_shown(const char *name, char out[PROBE_SHOWN]);

/* Why an engine refuses a program: it would miss this function. */
void probe_unseen(const char *name, const char *why, struct error *out);

#endif
