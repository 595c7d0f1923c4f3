/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_ENTRY_H
#define MPROF_MMA_ENTRY_H

#include <stdint.h>

/*
 * An entry of an MMA event log: one call, or a plain time stamp. The numeric values are those of
 * the plain form of a log.
 */
enum mma_type { MMA_FREE, MMA_MALLOC, MMA_CALLOC, MMA_REALLOC, MMA_TMSTMP, MMA_TYPES };

struct mma_entry {
	uint64_t time_ns;
	uint64_t ptr;	/* free: the argument; malloc, calloc, realloc: the result, 0: none */
	union {
		uint64_t old_ptr;	/* realloc */
		uint64_t num;		/* calloc: number of elements */
	};
	uint64_t size;	/* malloc, realloc: bytes; calloc: bytes per element */
	uint32_t tid;
	uint8_t type;	/* enum mma_type */
};

extern const char *const mma_type_names[MMA_TYPES];

#endif
