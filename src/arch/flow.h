/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_FLOW_H
#define MPROF_ARCH_FLOW_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What an instruction does with whole words in registers and memory: enough to follow a value that
 * a function has returned. Registers have their DWARF numbers, ARCH_FLOW_REGS of them.
 */
enum { ARCH_FLOW_REGS = 16, ARCH_FLOW_ARGS = 6, ARCH_FLOW_LONGEST = 15 };

#define ARCH_FLOW_NO_REG (-1)

enum arch_flow_kind {
	ARCH_FLOW_OTHER, /* it only changes registers, see writes */
	ARCH_FLOW_COPY,	 /* to = from */
	ARCH_FLOW_LOAD,	 /* to = the word at at */
	ARCH_FLOW_STORE, /* the word at at = from */
	ARCH_FLOW_CALL,
	ARCH_FLOW_JUMP,
	ARCH_FLOW_BRANCH, /* a conditional jump */
	ARCH_FLOW_RETURN,
	ARCH_FLOW_STOP, /* execution does not continue behind it */
};

/* [base + offset], or with an index, too; without a base an absolute address. */
struct arch_flow_place {
	int base;
	bool indexed;
	int64_t offset;
};

struct arch_flow {
	enum arch_flow_kind kind;
	unsigned size; /* bytes of the instruction */
	int from, to;
	struct arch_flow_place at;
	taddr target;	 /* of a jump or call; 0: indirect */
	uint32_t writes; /* registers that it changes, including to: 1 << number */
};

/* The registers that a call may change, those of arguments and of the result, stack pointer and
 * frame pointer. */
extern const uint32_t arch_flow_lost;
extern const int arch_flow_args[ARCH_FLOW_ARGS], arch_flow_result, arch_flow_sp, arch_flow_fp;

/* Decode the instruction in @code, which is at @at. False: there is none in @len bytes. */
bool arch_flow(const uint8_t *code, size_t len, taddr at, struct arch_flow *f);

#endif
