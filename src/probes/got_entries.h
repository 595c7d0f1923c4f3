/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_GOT_ENTRIES_H
#define MPROF_PROBES_GOT_ENTRIES_H

#include "probes/scan.h"

#include <gelf.h>

/* Into s->got_entries: the words of a file that its relocations fill with functions of interest.
 * The file's probes have been found. 0 or -ENOMEM. */
int got_entries_read(struct scan *s, const struct probes *probes, Elf *elf);

#endif
