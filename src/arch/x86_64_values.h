/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_X86_64_VALUES_H
#define MPROF_ARCH_X86_64_VALUES_H

/* What is known about registers and words of the stack on the paths through a function, and the
 * effect of an instruction on it: only for x86_64_forward.c. */

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

enum value_kind {
	VALUE_ANY,	/* nothing is known */
	VALUE_SUM,	/* size * n + max(size, 1) * n1 + align * a + c */
	VALUE_ROUNDED,	/* the size, or 1 for none, rounded up to the alignment */
	VALUE_BLOCK,	/* the block that is to be freed */
	VALUE_RESULT,	/* the result of the request */
	VALUE_STACK,	/* the stack pointer at the entry, and c */
};

struct value {
	enum value_kind kind;
	int8_t n, n1, a;
	int64_t c;
};

/* What the function has done so far. */
enum progress {
	PROGRESS_NONE,		/* it has not passed the request on */
	PROGRESS_ASKED,		/* it has, and may have got a block or not */
	PROGRESS_GOT,		/* it has a block */
	PROGRESS_FAILED,	/* the request has failed */
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
	struct value reg[VALUE_REGS];		/* by the machine's number */
	struct value slot[VALUE_SLOTS];		/* the words below the return address */
	enum progress progress;
	enum argument argument;
	bool flags;	/* the flags are those of the unsigned comparison of @compared with @with */
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
/* Is it the size itself, or max(size, 1)? */
bool value_is_size(struct value v);

/* Join two paths: set @into to what is known in both @into and @from. False: they contradict. */
bool values_join(struct values *into, const struct values *from);
bool values_equal(const struct values *a, const struct values *b);

/* A function has been called: forget what a call may change. */
void values_called(struct values *s);

/* Add what is known if a conditional jump is taken, or not. */
void values_branch(struct values *s, ZydisMnemonic jump, bool taken);

/* The value of an operand that is read. */
struct value values_read(const struct values *s, const ZydisDecodedOperand *o);

/* The effect of an instruction that is no branch. NULL, or why it is not understood. */
const char *values_step(struct values *s, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *o);

#endif
