/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_BLOB_H
#define MPROF_FAST_BLOB_H

#include <stddef.h>
#include <stdint.h>

/* The agent's code, struct agent_head first. It runs wherever it is mapped. */
extern const uint8_t agent_blob[];
extern const size_t agent_blob_size;

/* The ELF file that it was taken from, without symbols: it has the call frame information. */
extern const uint8_t agent_elf[];
extern const size_t agent_elf_size;

#endif
