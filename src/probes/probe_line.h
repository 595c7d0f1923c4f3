/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_PROBE_LINE_H
#define MPROF_PROBES_PROBE_LINE_H

#include "probes/probes.h"

/* One line of a file of probe definitions; the format is described in mprof.probes(5). */

#define PROBE_LINE_MAX 1000 /* bytes */

struct probe_line {
	enum { LINE_EMPTY, LINE_PROBE, LINE_FORWARDER } what;
	char name[PROBE_LINE_MAX + 1];	/* name of the function, or of the library */
	struct probe probe;	/* without name and where */
};

/**
 * Parse one line.
 * @line  at most PROBE_LINE_MAX bytes, without its newline
 * Returns 0, or -EINVAL with what was expected in @e.
 */
int probe_line_parse(const char *line, struct probe_line *out, struct error *e);

#endif
