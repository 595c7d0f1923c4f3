/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_GOT_ENTRIES_H
#define MPROF_PROBES_GOT_ENTRIES_H

#include "probes/scan.h"

#include <gelf.h>

/* Fill s->got_entries: the words of a file that relocations fill with addresses of functions of
 * interest. The file's probes must have been found. 0 or -ENOMEM. */
int got_entries_read(struct scan *s, const struct probes *probes, Elf *elf);

#endif
