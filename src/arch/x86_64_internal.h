/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_X86_64_INTERNAL_H
#define MPROF_ARCH_X86_64_INTERNAL_H

/* What the files of this machine share. Not to be included by others. */

#include "taddr.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* endbr64 marks a target of indirect branches, and does nothing else. */
#define X86_ENDBR64_SIZE 4
extern const uint8_t x86_endbr64[X86_ENDBR64_SIZE];

enum {
	X86_JUMP_SIZE = 5,
	X86_FAR_JUMP_MAX = 6 + 7 + 8, /* the instruction, padding, and the address */
};

/* The instruction at @code, without its operands. False: there is none within @len bytes. */
bool x86_decode(const uint8_t *code, size_t len, ZydisDecodedInstruction *z);

/* A jump that depends on the flags. */
bool x86_is_jcc(ZydisMnemonic m);

/* A signed little-endian number of 32 bits. */
int32_t x86_read32(const uint8_t *p);

/* Write the displacement to @to of an instruction that ends at @end. False: out of reach. */
bool x86_put_distance(uint8_t out[4], taddr end, taddr to);

/* A jump at @from: the near form if it reaches, otherwise the far one. Returns its size, at most
 * X86_FAR_JUMP_MAX. */
size_t x86_put_jump(uint8_t *out, taddr from, taddr to);

/**
 * Write an instruction so that it does at @to what it does at @at.
 * @displacement  the offset in it of a pc-relative displacement; 0: there is none
 * False: out of reach from there.
 */
bool x86_move(const uint8_t *insn, size_t size, size_t displacement, taddr at, taddr to,
	      uint8_t *out);

#endif
