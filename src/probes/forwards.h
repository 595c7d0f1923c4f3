/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_FORWARDS_H
#define MPROF_PROBES_FORWARDS_H

#include "probes/scan.h"
#include "symbols/dyntable.h"

#include <gelf.h>

/**
 * Find the operators new and delete of a file that only pass their requests on to functions that
 * are observed themselves, or to other such operators: those of libstdc++ do so wherever they are
 * linked to. Their code has to prove it (arch/forward.h). Call it when all probes of the scan have
 * been found; the result is stored with them.
 * @d   the file's dynamic section
 * @fd  the file, open for reading
 */
void forwards_find(struct scan *s, const struct probes *probes, Elf *elf, const struct dyntable *d,
		   int fd);

/* What a call of this function means in an operator that may be a forwarder, if no definition is
 * about it: RANGE_LEAVES or RANGE_ENDS. False: nothing of interest. */
bool forwards_knows(const char *name, enum scan_range_kind *kind);

#endif
