/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_SHOWN_H
#define MPROF_PROBES_SHOWN_H

#include "base/error.h"

#include <stddef.h>

enum { PROBE_SHOWN = 128 };

/* A function's name for messages: "operator new(unsigned long)" for _Znwm. Returns @out, or @name
 * if it is not mangled. */
const char *probe_shown(const char *name, char out[PROBE_SHOWN]);

/* A sentence on why an engine refuses a program: it would miss this function. */
void probe_unseen(const char *name, const char *why, struct error *out);

#endif
