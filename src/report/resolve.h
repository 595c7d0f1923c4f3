/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_RESOLVE_H
#define MPROF_REPORT_RESOLVE_H

#include "profile/profile.h"

/* A module file, by the number that the profile's places have for it. */
struct resolve_module {
	const char *path;
	int fd;	/* open for reading; -1: no file */
};

/**
 * Give names to what was counted: turns a profile in the making into one that needs neither the
 * program nor its files. Trims the code of the C library that calls main or starts a thread from
 * the outer end of each chain, and puts inlined functions into it.
 * @program  number of the module that is the program itself, or PD_NONE
 * @out      totals, modules, functions, sites, nodes, leaves, types and memory are filled in
 * Returns 0 or -ENOMEM.
 */
int resolve_profile(const struct profile *p, const struct resolve_module *modules, size_t n_modules,
		    uint32_t program, struct profile_data *out);

#endif
