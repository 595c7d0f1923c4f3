/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_BLOB_H
#define MPROF_FAST_BLOB_H

#include <stddef.h>
#include <stdint.h>

/* The agent's code, struct agent_head first. It runs wherever it is mapped. */
extern const uint8_t agent_blob[];
extern const size_t agent_blob_size;

#endif
