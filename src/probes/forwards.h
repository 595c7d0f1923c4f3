/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_FORWARDS_H
#define MPROF_PROBES_FORWARDS_H

#include "probes/scan.h"
#include "symbols/dyntable.h"

#include <gelf.h>

/**
 * Which operators new and delete of a file only pass their requests on to functions that are
 * observed themselves, or to other operators: what those of libstdc++ do wherever they are linked
 * to. Their code has to prove it (arch/forward.h). Notes it with the scan's probes, which all have
 * been found.
 * @d   what it tells the dynamic linker
 * @fd  the file, open for reading
 */
void forwards_find(struct scan *s, const struct probes *probes, Elf *elf, const struct dyntable *d,
		   int fd);

/* What a function of this name is to one that may be a forwarder, if no definition is about it:
 * RANGE_LEAVES or RANGE_ENDS. False: nothing of interest. */
bool forwards_knows(const char *name, enum scan_range_kind *kind);

#endif
