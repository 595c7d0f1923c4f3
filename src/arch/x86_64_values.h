/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_X86_64_VALUES_H
#define MPROF_ARCH_X86_64_VALUES_H

/* What is known of registers and of words of the stack on the ways through a function, and what one
 * instruction makes of it: for x86_64_forward.c alone. */

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

enum value_kind {
	VALUE_ANY,	/* nothing is known */
	VALUE_SUM,	/* size * n + max(size, 1) * n1 + align * a + c */
	VALUE_ROUNDED,	/* the size, or 1 for none, rounded up to the alignment */
	VALUE_BLOCK,	/* the block that is to be freed */
	VALUE_RESULT,	/* what the request has given */
	VALUE_STACK,	/* the stack pointer at the entry, and c */
};

struct value {
	enum value_kind kind;
	int8_t n, n1, a;
	int64_t c;
};

/* How far the function has come. */
enum progress {
	PROGRESS_NONE,		/* it has not asked */
	PROGRESS_ASKED,		/* it has, and may have got a block or not */
	PROGRESS_GOT,		/* it has a block */
	PROGRESS_FAILED,	/* it has got none */
	PROGRESS_FREED,		/* the block is freed */
};

/* Is the argument, size or block, 0? */
enum argument {
	ARGUMENT_ANY,
	ARGUMENT_ZERO,
	ARGUMENT_NOT_ZERO,
};

enum { VALUE_REGS = 16, VALUE_SLOTS = 24 };

struct values {
	struct value reg[VALUE_REGS];		/* by the number that instructions have for it */
	struct value slot[VALUE_SLOTS];		/* the words below the return address */
	enum progress progress;
	enum argument argument;
	bool flags;	/* they are those of @compared less @with, without signs */
	struct value compared;
	uint8_t with;
};

enum { VALUE_RAX, VALUE_RCX, VALUE_RDX, VALUE_RBX, VALUE_RSP, VALUE_RBP, VALUE_RSI, VALUE_RDI };

struct value value_number(int64_t c);
struct value value_size(void);
struct value value_size_or_one(void);
bool value_same(struct value a, struct value b);
bool value_is(struct value v, enum value_kind kind);
bool value_is_number(struct value v, int64_t c);
/* Is it the argument @n1 times: the size itself, or 1 for none? */
bool value_is_size(struct value v);

/* What is known where two ways meet, of @into and @from, to @into. False: that they may not. */
bool values_join(struct values *into, const struct values *from);
bool values_equal(const struct values *a, const struct values *b);

/* A function has been called: what a call may change is not known. */
void values_called(struct values *s);

/* The way on if a conditional jump is taken, or not. False: nobody can go there. */
void values_branch(struct values *s, ZydisMnemonic jump, bool taken);

/* The value of an operand that is read. */
struct value values_read(const struct values *s, const ZydisDecodedOperand *o);

/* What an instruction that goes on with the next one makes of it. NULL, or why that is not
 * understood. */
const char *values_step(struct values *s, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *o);

#endif
