/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_FLOW_H
#define MPROF_SITETYPES_FLOW_H

#include "arch/flow.h"
#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What becomes of a value that a call has returned: it is followed from the return address on, both
 * ways at each branch, through registers and stack slots. Where it meets something that has a type,
 * its host is asked for that. Pure: knows neither files nor DWARF.
 */

/* How it is known what a value is, the strongest first. */
enum flow_how {
	FLOW_VARIABLE, /* a variable is where the value is */
	FLOW_MEMBER,   /* it is stored to a member of a structure */
	FLOW_GLOBAL,   /* it is stored to a global variable */
	FLOW_ARGUMENT, /* it is passed to a function */
	FLOW_RETURNED, /* the function returns it */
	N_FLOW_HOW
};

/* A type, by a number of the host's; 0: not known. */
typedef uint32_t flow_type;

/* Where a value may be: in a register, or in memory at a register. */
struct flow_place {
	bool in_memory;
	int reg;
	int64_t offset;
};

/* The most instructions that are looked at from one return address. */
enum { FLOW_STEPS_MAX = 60, FLOW_SLOTS_MAX = 8, FLOW_WAYS_MAX = 16, FLOW_TYPES_MAX = 8 };

struct flow_host {
	/* The instruction at @pc. False: it is none of the function's. */
	bool (*fetch)(void *ctx, taddr pc, struct arch_flow *f);
	/* The types of the variables that are at a place when @pc is reached; their number. */
	unsigned (*variables)(void *ctx, taddr pc, const struct flow_place *at,
			      flow_type types[FLOW_TYPES_MAX]);
	/* The types of the members at @offset of what a type of pointer points at. */
	unsigned (*members)(void *ctx, flow_type pointer, int64_t offset,
			    flow_type types[FLOW_TYPES_MAX]);
	/* The type of an element, of what is a pointer to pointers. */
	flow_type (*element)(void *ctx, flow_type pointer);
	/* The type of the global variable, or member of one, at an address. */
	flow_type (*global)(void *ctx, taddr at);
	/* The type of an argument of a function, by the number of its register. */
	flow_type (*argument)(void *ctx, taddr function, unsigned n);
	/* The type that the function returns. */
	flow_type (*returned)(void *ctx);
	/* The value is of this type. */
	void (*found)(void *ctx, enum flow_how how, flow_type type);
	void *ctx;
};

/* Follow what has been returned to @from. */
void flow_follow(const struct flow_host *host, taddr from);

#endif
