/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_CHOOSE_H
#define MPROF_PROBES_CHOOSE_H

#include "probes/rules.h"
#include "probes/scan.h"

/**
 * What is trapped in a module file: what its symbols gave, as far as the rules allow it, and what
 * they tell by address. No address is told twice.
 * @program  the file is the program itself
 * @each     told the address in the file and the definition's number; @p->indirect: of what tells
 *           where
 * Returns 0 or -ENOMEM.
 */
int choose_probes(const struct module_files *files, struct scans *scans, struct rules *rules,
		  uint32_t file, bool program, void (*each)(void *ctx, const struct scan_probe *p),
		  void *ctx);

#endif
