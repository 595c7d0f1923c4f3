/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DWP_H
#define MPROF_DWP_H

#include "symbols/objfile.h"

#include <elfutils/libdw.h>

/*
 * A .dwp file: the split DWARF (.dwo files) of a whole program in one. libdw up to 0.190 cannot
 * read it, but opens the .dwo file that a unit names: the unit is changed to name a memfd of ours,
 * which its part is copied to just before libdw opens it.
 * Sources: DWARF 5, 7.3.5; for DWARF 4 https://gcc.gnu.org/wiki/DebugFissionDWP.
 */

#define DWP_NAME_MAX 32
#define DWP_COLUMNS 8	/* kinds of sections that the index knows */

struct dwp {
	struct objfile file;
	int slot;		/* the descriptor that units are made to name; -1: nothing is
				   open */
	uint64_t in_slot;	/* ID of the unit that is there */
	char name[DWP_NAME_MAX];	/* the name of the slot that libdw opens */
	const uint8_t *index;	/* .debug_cu_index behind its header */
	uint32_t version, columns, units, slots;
};

#define DWP_NONE ((struct dwp){ .file = OBJFILE_NONE, .slot = -1 })

/* 0 or -ENOENT: there is no such file, or it is no .dwp file. */
int dwp_open(struct dwp *d, const char *path);

/* To be called after the end of every Dwarf that used it. */
void dwp_close(struct dwp *d);

/* Does it have the unit with this ID (DW_AT_GNU_dwo_id, or in the unit's header)? */
bool dwp_has(const struct dwp *d, uint64_t id);

/* Make a unit name the slot. False: it cannot be changed, or its ID is not in the file. */
bool dwp_redirect(struct dwp *d, Dwarf_Die *unit, struct objfile *o);

/* To be called before libdw opens the split unit of @unit: copies it to the slot, if @unit names
 * that. */
void dwp_offer(struct dwp *d, Dwarf_Die *unit);

#endif
