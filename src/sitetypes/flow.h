/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_FLOW_H
#define MPROF_SITETYPES_FLOW_H

#include "arch/flow.h"
#include "taddr.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Follows a value that a call has returned from the return address on, both ways at each branch,
 * through registers and stack slots. Where it gets to something that has a type, the host is asked
 * for that. Pure: knows neither files nor DWARF.
 */

/* What the type of a value is known from, the strongest evidence first. */
enum flow_how {
	FLOW_VARIABLE, /* the value is in a variable */
	FLOW_MEMBER,   /* it is stored to a member of a structure */
	FLOW_GLOBAL,   /* it is stored to a global variable */
	FLOW_ARGUMENT, /* it is passed to a function */
	FLOW_RETURNED, /* the function returns it */
	N_FLOW_HOW
};

/* A type, as a number given by the host; 0: not known. */
typedef uint32_t flow_type;

/* Where a value may be: in a register, or in memory at a register and offset. */
struct flow_place {
	bool in_memory;
	int reg;
	int64_t offset;
};

/* The most instructions that are followed from one return address. */
enum { FLOW_STEPS_MAX = 60, FLOW_SLOTS_MAX = 8, FLOW_WAYS_MAX = 16, FLOW_TYPES_MAX = 8 };

struct flow_host {
	/* Decode the instruction at @pc. False: it is not in the function. */
	bool (*fetch)(void *ctx, taddr pc, struct arch_flow *f);
	/* The types of the variables that are at a place when @pc is reached. Returns how many. */
	unsigned (*variables)(void *ctx, taddr pc, const struct flow_place *at,
			      flow_type types[FLOW_TYPES_MAX]);
	/* The types of the members at @offset of what @pointer points to. Returns how many. */
	unsigned (*members)(void *ctx, flow_type pointer, int64_t offset,
			    flow_type types[FLOW_TYPES_MAX]);
	/* If @pointer points to pointers, the type of these; else 0. */
	flow_type (*element)(void *ctx, flow_type pointer);
	/* The type of the global variable, or member of one, at an address. */
	flow_type (*global)(void *ctx, taddr at);
	/* The type of an argument of a function, by the number of its register. */
	flow_type (*argument)(void *ctx, taddr function, unsigned n);
	/* The type that the function returns. */
	flow_type (*returned)(void *ctx);
	/* Called with each type that the value may have. */
	void (*found)(void *ctx, enum flow_how how, flow_type type);
	void *ctx;
};

/* Follow the value returned to the address @from. */
void flow_follow(const struct flow_host *host, taddr from);

#endif
