/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_MODULENAME_H
#define MPROF_BASE_MODULENAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known about a program or library in a profile. */
struct module_name {
	const char *path;
	const char *build_id;	/* "": not known */
	bool is_program;	/* the program itself */
};

/* How alike two modules are, the surest last. */
enum module_likeness {
	MODULES_DIFFER,
	MODULES_OF_VERSIONS,	/* libx.so.1.2 and libx.so.2 */
	MODULES_ARE_PROGRAMS,	/* each is its profile's program, whatever it is called */
	MODULES_OF_NAME,	/* in different directories */
	MODULES_OF_PATH,
	MODULES_OF_BUILD,	/* the same build ID; the same path if one has none */
};

/* How alike two modules of different profiles are. */
enum module_likeness modules_compare(const struct module_name *a, const struct module_name *b);

#define MODULE_UNPAIRED UINT32_MAX

/**
 * Find for each module of a profile the same module, or another build of it, in another profile:
 * the one that is most alike, unless that is more like another one.
 * @pair  for each of @from the index of one of @to, or MODULE_UNPAIRED
 * Returns 0 or -ENOMEM.
 */
int modules_pair(const struct module_name *from, size_t n_from, const struct module_name *to,
		 size_t n_to, uint32_t *pair);

#endif
