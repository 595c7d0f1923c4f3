/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_CODE_H
#define MPROF_SITETYPES_CODE_H

#include "sitetypes/flow.h"
#include "symbols/module.h"

/* The code of a module's file, its call frame information, and its objects by their symbols. */
struct code;

/* NULL: out of memory. */
struct code *code_new(struct module *m);
void code_free(struct code *c);

/* Read what is loaded at @at. Returns how many of the @size bytes there are. */
size_t code_read(struct code *c, uint64_t at, uint8_t *to, size_t size);

/* The canonical frame address at @pc: a register and an offset. False: not known. */
bool code_cfa(struct code *c, uint64_t pc, struct flow_place *cfa);

/* The name of the object that contains @at, and its start. NULL: there is none. It belongs to
 * @c. */
const char *code_object(struct code *c, uint64_t at, uint64_t *start);

#endif
