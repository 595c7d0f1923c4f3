/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_SCOPE_H
#define MPROF_SITETYPES_SCOPE_H

#include "sitetypes/types.h"
#include "symbols/module.h"

/* Where a variable is while the pc is in [low, high). */
enum spot_kind {
	SPOT_REG,
	SPOT_MEMORY, /* at a register and an offset */
	SPOT_FRAME,  /* at the frame's base and an offset */
	SPOT_ADDRESS,
};

struct spot {
	uint64_t low, high;
	enum spot_kind kind;
	int reg;
	int64_t offset; /* SPOT_ADDRESS: the address */
	uint64_t size;	/* SPOT_ADDRESS: bytes; 0: not known */
	flow_type type;
	bool parameter; /* of the function itself */
};

/* A variable that a unit declares. The name belongs to the file. */
struct declared {
	const char *name;
	flow_type type;
};

/* All variables of a function, and of what was inlined into it; or those of a unit. */
struct scope {
	struct spot *v;
	size_t n, cap;
	struct declared *declared; /* units only; sorted by name */
	size_t n_declared, cap_declared;
	bool base_is_cfa; /* else the frame's base is what is in this register; -1: not known */
	int base_reg;
};

void scope_release(struct scope *s);

/* The variables of a function; if there are too many, the first ones. 0 or -ENOMEM. */
int scope_read(struct scope *s, struct types *t, const struct func *f);

/* The global variables of a unit, given by the DIE that has its contents (cu_content()). The
 * same. */
int scope_read_globals(struct scope *s, struct types *t, Dwarf_Die *unit);

/* The type of what a unit declares by this name; 0: nothing. */
flow_type scope_declared(const struct scope *s, const char *name);

#endif
