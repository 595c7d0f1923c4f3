/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DWP_H
#define MPROF_DWP_H

#include "symbols/objfile.h"

#include <elfutils/libdw.h>

/*
 * A .dwp file: the split DWARF (.dwo files) of a whole program in one. libdw up to 0.190 knows
 * nothing of it, but opens the .dwo file that a unit names: the unit is made to name a file without
 * a name of our own, into which its part is put just before libdw opens it.
 * Sources: DWARF 5, 7.3.5; for DWARF 4 https://gcc.gnu.org/wiki/DebugFissionDWP.
 */

#define DWP_NAME_MAX 32
#define DWP_COLUMNS 8	/* kinds of sections that the index knows */

struct dwp {
	struct objfile file;
	int slot;		/* the descriptor that units are made to name; -1: nothing is
				   open */
	uint64_t in_slot;	/* the unit that is there */
	char name[DWP_NAME_MAX];	/* the slot's, for libdw */
	const uint8_t *index;	/* .debug_cu_index behind its header */
	uint32_t version, columns, units, slots;
};

#define DWP_NONE ((struct dwp){ .file = OBJFILE_NONE, .slot = -1 })

/* 0 or -ENOENT: there is no such file, or it is none. */
int dwp_open(struct dwp *d, const char *path);

/* After the end of all Dwarf that used it. */
void dwp_close(struct dwp *d);

/* Has it the unit of this id (DW_AT_GNU_dwo_id, or in the unit's header)? */
bool dwp_has(const struct dwp *d, uint64_t id);

/* Make a unit name the slot. False: it cannot be, or its id is not there. */
bool dwp_redirect(struct dwp *d, Dwarf_Die *unit, struct objfile *o);

/* Before libdw opens the split unit of @unit: put it into the slot, if the unit names that. */
void dwp_offer(struct dwp *d, Dwarf_Die *unit);

#endif
