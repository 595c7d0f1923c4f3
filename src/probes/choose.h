/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_CHOOSE_H
#define MPROF_PROBES_CHOOSE_H

#include "probes/rules.h"
#include "probes/scan.h"

/**
 * Choose what to trap in a module file: the functions that the scan of its symbols has found, as
 * far as the rules allow them, and those that definitions give by address. No address is reported
 * twice.
 * @program  the file is the program itself
 * @each     called with the address in the file and the definition's number; @p->indirect: the
 *           address is that of a resolver
 * Returns 0 or -ENOMEM.
 */
int choose_probes(const struct module_files *files, struct scans *scans, struct rules *rules,
		  uint32_t file, bool program, void (*each)(void *ctx, const struct scan_probe *p),
		  void *ctx);

#endif
