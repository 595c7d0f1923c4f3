/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CU_H
#define MPROF_CU_H

#include "symbols/dwp.h"
#include "symbols/objfile.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a function's or a unit's code: [low, high) belongs to element @owner of a table. */
struct code_span {
	uint64_t low, high;
	uint64_t reach;		/* the greatest high of this span and all before it */
	uint32_t owner;
};

struct code_spans {
	struct code_span *v;		/* sorted by low once all are there */
	size_t n, cap;
};

/* A function that has code of its own. */
struct func {
	Dwarf_Die die;
	uint64_t entry;		/* its first instruction */
	const void *origin;	/* address of the DIE of its source function, see die_origin() */
};

struct cu {
	Dwarf_Die die;		/* the unit; for split DWARF the skeleton, which has the lines */
	bool indexed;		/* the rest is filled in */
	struct func *funcs;
	size_t n_funcs, cap_funcs;
	struct code_spans spans;	/* owner: index of funcs */
};

/* Which units have code where, by the debug data of one file. A zeroed struct is empty. */
struct cus {
	struct cu *v;
	size_t n, cap;
	struct code_spans spans;	/* owner: index of v */
	bool split;		/* some of the units' DWARF is in other files */
	bool split_stale;	/* of units that were looked up, some have a file, but one of
				   another build */
	bool split_missing;	/* some of the units' DWARF is in files that are not there */
	struct dwp *dwp;	/* where split units may be; set before cus_read(), not NULL */
};

struct cu_hit {
	struct cu *cu;			/* NULL: no unit has code there */
	const struct func *func;	/* NULL: no function has; as with assembly */
	uint64_t part;			/* start of the part of the function that holds the
					   address */
};

/**
 * List the units of @dwarf and their code.
 * @main  the file that is run: ranges that are no code in it were dropped by the linker
 * Returns 0 or -ENOMEM.
 */
int cus_read(struct cus *c, Dwarf *dwarf, struct objfile *main);
void cus_release(struct cus *c);

/* The unit and function at @at. A unit's functions are listed when it is hit for the first time. 0
 * or -ENOMEM. */
int cus_find(struct cus *c, struct objfile *main, uint64_t at, struct cu_hit *hit);

/* Entry of the function of @cu whose source function is at @origin; 0 if there is none. */
uint64_t cu_entry_of(const struct cu *cu, const void *origin);

/* The DIE with the functions and types of a unit: if it is a skeleton, that of the split unit. */
void cu_content(struct dwp *dwp, Dwarf_Die *unit, Dwarf_Die *content);

/* Make the skeletons of @dwarf, in file @o, whose .dwo files are missing refer to @dwp. True: there
 * is at least one. */
bool cus_use_dwp(Dwarf *dwarf, struct objfile *o, struct dwp *dwp);

#endif
