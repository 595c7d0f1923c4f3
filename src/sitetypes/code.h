/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_CODE_H
#define MPROF_SITETYPES_CODE_H

#include "sitetypes/flow.h"
#include "symbols/module.h"

/* The code of a module's file, where its frames are, and its objects by their symbols. */
struct code;

/* NULL: out of memory. */
struct code *code_new(struct module *m);
void code_free(struct code *c);

/* Read from what is loaded at @at: how many bytes there are, of @size. */
size_t code_read(struct code *c, uint64_t at, uint8_t *to, size_t size);

/* Where the canonical frame address is when @pc is reached: at a register and an offset. */
bool code_cfa(struct code *c, uint64_t pc, struct flow_place *cfa);

/* The name of the object that @at is in, and its start. NULL: there is none. */
const char *code_object(struct code *c, uint64_t at, uint64_t *start);

#endif
